import { expect, test } from 'vitest';
import { ExportLedger } from '../../src/exporter/export-ledger.ts';
import type { Batch, Item } from '../../src/exporter/otlp/batch.ts';
import type { Delivery } from '../../src/exporter/otlp/delivery.ts';
import { HeadroomError } from '../../src/model/errors.ts';
import { MemoryCursors } from '../support/export-fakes.ts';

const target = 'http://h:4318/v1/metrics';

test('keeps the position, the counts and the receiver’s last words in the file', () => {
  const store = new MemoryCursors();
  const ledger = ledgerOf(store);
  expect(ledger.position).toBeNull();
  expect(ledger.hasSent).toBe(false);
  ledger.advance(
    batchTo(5, { dropped: { not_exact: 2 } }),
    deliveryOf({ sent: 40, rejected: 3, dropped: { refused: 1 }, messages: new Set(['too old']) }),
  );
  ledger.advance(batchTo(9, { closesSession: true }), deliveryOf({ sent: 30 }));
  expect(store.readCursor('a.db', target)).toEqual({
    target,
    sequence: 9,
    timeUnixMs: 9000,
    sentCount: 70,
    rejectedCount: 3,
    droppedCount: 3,
    detail: '{"closed":true,"dropped":{"not_exact":2,"refused":1},"refusal":"too old"}',
  });
  const next = ledgerOf(store);
  expect(next.position).toEqual({ sequence: 9, isClosed: true });
  expect(next.hasSent).toBe(true);
});

test('begins at the start and counts from zero when all is to be sent again', () => {
  const store = new MemoryCursors();
  ledgerOf(store).advance(batchTo(5), deliveryOf({ sent: 40, dropped: { refused: 2 } }));
  expect(ledgerOf(store).deliveredBefore).toBe(42);
  const again = new ExportLedger('a.db', { target, store, resend: true, onWarning: fail });
  expect(again).toMatchObject({ position: null, deliveredBefore: 0 });
  again.advance(batchTo(2), deliveryOf({ sent: 20 }));
  again.advance(batchTo(4), deliveryOf({ sent: 11 }));
  expect(store.readCursor('a.db', target)).toMatchObject({
    sequence: 4,
    sentCount: 31,
    droppedCount: 0,
  });
});

test('a position of another target or file is not this one’s', () => {
  const store = new MemoryCursors();
  ledgerOf(store).advance(batchTo(5), deliveryOf({}));
  expect(new ExportLedger('b.db', { target, store, onWarning: fail }).position).toBeNull();
  expect(new ExportLedger('a.db', { target: 'x', store, onWarning: fail }).position).toBeNull();
});

test('while the recorder holds the file the counts are kept for the next time', () => {
  const store = new MemoryCursors();
  const { advanceCursor } = store;
  const ledger = ledgerOf(store);
  store.advanceCursor = () => {
    throw new HeadroomError('STORE_BUSY', 'a.db: locked');
  };
  ledger.advance(batchTo(5), deliveryOf({ sent: 40 }));
  expect(ledger.position?.sequence).toBe(5);
  store.advanceCursor = advanceCursor;
  ledger.advance(batchTo(6), deliveryOf({ sent: 2 }));
  expect(store.readCursor('a.db', target)).toMatchObject({ sequence: 6, sentCount: 42 });
});

test('what could not be kept with the last batch is kept at the end', () => {
  const store = new MemoryCursors();
  const { advanceCursor } = store;
  const ledger = ledgerOf(store);
  store.advanceCursor = () => {
    throw new HeadroomError('STORE_BUSY', 'a.db: locked');
  };
  ledger.advance(batchTo(5), deliveryOf({ sent: 40 }));
  store.advanceCursor = advanceCursor;
  ledger.finish();
  expect(store.readCursor('a.db', target)).toMatchObject({ sequence: 5, sentCount: 40 });
  ledger.finish();
  expect(store.readCursor('a.db', target)).toMatchObject({ sequence: 5, sentCount: 40 });
});

test('a file that cannot be written is told about once, and the export goes on', () => {
  const store = new MemoryCursors();
  store.advanceCursor = () => {
    throw new HeadroomError('FILE_NOT_WRITABLE', 'a.db: read-only');
  };
  const warnings: string[] = [];
  const onWarning = (message: string) => void warnings.push(message);
  const ledger = new ExportLedger('a.db', { target, store, onWarning });
  ledger.advance(batchTo(5), deliveryOf({}));
  ledger.advance(batchTo(6), deliveryOf({}));
  expect(ledger.position?.sequence).toBe(6);
  expect(warnings).toEqual([
    'the export cannot be resumed, its position is not kept: a.db: read-only',
  ]);
});

test.each(['not json', '[]', 'null', '{"closed":"yes","dropped":{"refused":"no"}}'])(
  '%s is nothing we wrote',
  (detail) => {
    const store = new MemoryCursors();
    store.advanceCursor('a.db', target, { sequence: 5, timeUnixMs: 1, detail });
    expect(ledgerOf(store)).toMatchObject({ position: { sequence: 5, isClosed: false } });
  },
);

function ledgerOf(store: MemoryCursors): ExportLedger {
  return new ExportLedger('a.db', { target, store, onWarning: fail });
}

function fail(message: string): void {
  throw new Error(message);
}

function batchTo(sequence: number, parts: Partial<Batch<Item>> = {}): Batch<Item> {
  const timeUnixMs = sequence * 1000;
  return { items: [], dropped: {}, sequence, timeUnixMs, closesSession: false, ...parts };
}

function deliveryOf(parts: Partial<Delivery>): Delivery {
  return {
    sent: 0,
    rejected: 0,
    dropped: {},
    messages: new Set(),
    stop: null,
    itemLimit: 100,
    ...parts,
  };
}
