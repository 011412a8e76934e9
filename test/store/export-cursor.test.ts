import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openDatabase } from '../../src/store/driver.ts';
import { advanceCursor, readCursor } from '../../src/store/export-cursor.ts';
import { openRecording } from '../../src/store/reader.ts';
import { StoreWriter } from '../../src/store/writer.ts';
import { caseBytes } from '../support/cases.ts';
import { fakeSample } from '../support/fake-sample.ts';
import { temporaryFolder } from '../support/headroom-cli.ts';
import { ended, running } from '../support/record-samples.ts';
import { mountTmpfs } from '../support/tmpfs.ts';

const target = 'otlp http://127.0.0.1:4318';

test('a cursor begins as null, moves, and its counts add up', () => {
  using folder = temporaryFolder();
  const file = folder.file('a.db');
  StoreWriter.open(file, running).close(ended);
  expect(readCursor(file, target)).toBeNull();
  const first = { sequence: 10, timeUnixMs: 1000, sentCount: 100, droppedCount: 1 };
  advanceCursor(file, target, { ...first, detail: '{"a":1}' });
  const cursor = advanceCursor(file, target, {
    sequence: 20,
    timeUnixMs: 2000,
    sentCount: 50,
    rejectedCount: 2,
  });
  expect(cursor).toEqual({
    target,
    sequence: 20,
    timeUnixMs: 2000,
    sentCount: 150,
    droppedCount: 1,
    rejectedCount: 2,
    detail: '{"a":1}',
  });
  expect(readCursor(file, target)).toEqual(cursor);
  expect(readCursor(file, 'another')).toBeNull();
  expect(advanceCursor(file, target, { ...first, detail: null }).detail).toBeNull();
  expect(advanceCursor(file, target, { ...first, startsOver: true })).toMatchObject({
    sequence: 10,
    sentCount: 100,
    droppedCount: 1,
    rejectedCount: 0,
  });
});

test('a cursor moves while the recorder writes, and each sees what the other did', () => {
  using folder = temporaryFolder();
  const file = folder.file('a.db');
  const writer = StoreWriter.open(file, running);
  for (let second = 0; second < 20; second++) {
    expect(writer.writeSample(fakeSample({ second }), [])).toEqual({ outcome: 'written' });
    advanceCursor(file, target, { sequence: second, timeUnixMs: second, sentCount: 1 });
  }
  expect(readCursor(file, target)).toMatchObject({ sequence: 19, sentCount: 20 });
  expect(writer.close(ended)).toEqual({ outcome: 'written' });
  expect(readCursor(file, target)).toMatchObject({ sequence: 19 });
  using recording = openRecording(file);
  expect(recording.tickCount()).toBe(20);
});

test('a file that another program holds is STORE_BUSY', () => {
  using folder = temporaryFolder();
  const file = folder.file('a.db');
  const writer = StoreWriter.open(file, running);
  const shell = openDatabase(file, { mode: 'write', busyTimeoutMs: 0 });
  shell.exec('BEGIN IMMEDIATE');
  expect(() => advanceCursor(file, target, { sequence: 1, timeUnixMs: 1 })).toThrow(
    expect.objectContaining({ code: 'STORE_BUSY' }),
  );
  shell.close();
  writer.close(ended);
});

test('a file on a read-only disk is FILE_NOT_WRITABLE, and its cursor can be read', ({ skip }) => {
  using folder = temporaryFolder();
  const disk = folder.file('disk');
  using mounted = mountTmpfs(disk);
  if (mounted === null) return skip();
  const file = `${disk}/a.db`;
  StoreWriter.open(file, running).close(ended);
  advanceCursor(file, target, { sequence: 3, timeUnixMs: null });
  mounted.makeReadOnly();
  expect(() => advanceCursor(file, target, { sequence: 4, timeUnixMs: 1 })).toThrow(
    expect.objectContaining({ code: 'FILE_NOT_WRITABLE' }),
  );
  expect(readCursor(file, target)).toMatchObject({ sequence: 3, timeUnixMs: null });
});

test.each([
  ['092-sqlite-not-a-database/html.db', 'FILE_NOT_A_DATABASE'],
  ['092-sqlite-not-a-database/empty.db', 'FILE_EMPTY'],
  ['086-sqlite-copied-without-wal/pulled.db', 'FILE_NOT_A_RECORDING'],
])('no cursor is written into %s', (name, code) => {
  using folder = temporaryFolder();
  writeFileSync(folder.file('a.db'), caseBytes(name));
  expect(() => advanceCursor(folder.file('a.db'), target, { sequence: 1, timeUnixMs: 1 })).toThrow(
    expect.objectContaining({ code }),
  );
});
