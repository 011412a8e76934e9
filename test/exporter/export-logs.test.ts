import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { exportRecording } from '../../src/exporter/export-loop.ts';
import type { ExportOptions } from '../../src/exporter/export-options.ts';
import { resolveTarget } from '../../src/exporter/otlp/endpoint.ts';
import type { SendResult } from '../../src/exporter/otlp/response.ts';
import type { RecordingEvent } from '../../src/model/event.ts';
import { readCursor } from '../../src/store/export-cursor.ts';
import { StoreWriter } from '../../src/store/writer.ts';
import { MemoryCursors, soonAfter } from '../support/export-fakes.ts';
import { fakeRecording } from '../support/fake-recording.ts';
import { fakeSample, mib, startUnixMs } from '../support/fake-sample.ts';
import { goldenParts, goldenRecording } from '../support/golden-recording.ts';
import { type OtlpMock, startMockWith } from '../support/otlp-mock.ts';
import { decodeJsonLogs, type WireRecord } from '../support/otlp-wire.ts';

const mocks: OtlpMock[] = [];
const folders: string[] = [];
const later = () => soonAfter(3600);

afterEach(async () => {
  for (const mock of mocks.splice(0)) await mock.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

test('points and events go to their addresses, each with its counts', async () => {
  const mock = await mockWith({});
  const result = await run(mock.url);
  expect(result.logs).toEqual({
    sent: 5,
    rejected: 0,
    dropped: {},
    retries: 0,
    left: 0,
    alreadyDelivered: 0,
    problem: null,
  });
  await mock.allSeen();
  const paths = new Set(mock.requests.map(({ url }) => url));
  expect(paths).toEqual(new Set(['/v1/metrics', '/v1/logs']));
});

test('a receiver without logs keeps no point back, and its events stay', async () => {
  const points: Uint8Array[] = [];
  const result = await run('http://h:4318', {
    runtime: {
      send: async (body) => {
        points.push(body);
        return { kind: 'sent' };
      },
      sendLogs: async () => ({ kind: 'misconfigured', message: 'answers 404', hint: 'Look.' }),
    },
  });
  expect(points.length).toBeGreaterThan(0);
  expect(result).toMatchObject({ left: 0, problem: null });
  expect(result.logs).toMatchObject({ sent: 0, left: 5 });
  expect(result.logs?.problem?.message).toBe(
    '5 events are not delivered to http://h:4318/v1/logs: answers 404',
  );
});

test('a receiver of points that is away keeps no event back', async () => {
  const records: WireRecord[] = [];
  const result = await run('http://h:4318', {
    deadlineMs: 50,
    runtime: {
      sleep: (_, signal) =>
        new Promise((resolve) => (signal.aborted ? resolve() : setImmediate(resolve))),
      send: async () => ({ kind: 'retry', afterMs: null, reason: 'ECONNREFUSED' }),
      sendLogs: async (body) => take(records, body),
    },
  });
  expect(records).toHaveLength(5);
  expect(result.sent).toBe(0);
  expect(result.logs).toMatchObject({ sent: 5, problem: null });
});

test('one bad event is found by halving; what is refused alone is dropped and counted', async () => {
  const records: WireRecord[] = [];
  const result = await run('http://h:4318', {
    runtime: {
      send: async () => ({ kind: 'sent' }),
      sendLogs: async (body) => {
        const isBad = decodeJsonLogs(body).records.some(({ eventName }) =>
          eventName.includes('kill'),
        );
        return isBad ? { kind: 'rejected', status: 400, message: 'bad' } : take(records, body);
      },
    },
  });
  expect(result.logs).toMatchObject({ sent: 4, dropped: { refused: 1 }, left: 0 });
  expect(records).toHaveLength(4);
});

test('413 halves a request of events', async () => {
  const mock = await mockWith({ steps: [{ status: 413, path: '/v1/logs' }] });
  const result = await run(mock.url, { runtime: { send: async () => ({ kind: 'sent' }) } });
  await mock.allSeen();
  expect(mock.requests.map(({ status }) => status)).toEqual([413, 200, 200]);
  expect(result.logs).toMatchObject({ sent: 5, dropped: {}, left: 0 });
});

test('a partial success of logs is counted', async () => {
  const body = { partialSuccess: { rejectedLogRecords: '2', errorMessage: 'too old' } };
  const mock = await mockWith({ after: { status: 200, body } });
  const result = await run(mock.url, { runtime: { send: async () => ({ kind: 'sent' }) } });
  expect(result.logs).toMatchObject({ sent: 5, rejected: 2, left: 0 });
});

test('in a real file: each event once, with the process it is about, and the position is kept', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'headroom-logs-'));
  folders.push(folder);
  const file = path.join(folder, 'a.db');
  writeGolden(file);
  const records: WireRecord[] = [];
  const runtime = {
    send: async (): Promise<SendResult> => ({ kind: 'sent' }),
    sendLogs: async (body: Uint8Array) => take(records, body),
    now: later,
  };
  const target = jsonTarget('http://h:4318');
  await exportRecording(file, { target, runtime });
  expect(records.map(({ eventName }) => eventName)).toEqual([
    'session.start',
    'headroom.recording.note',
    'headroom.recording.gap',
    'headroom.oom.kill',
    'session.end',
  ]);
  expect(records[3]).toMatchObject({
    timeNanos: BigInt(startUnixMs + 699_500) * 1_000_000n,
    severityText: 'ERROR',
    attributes: { 'headroom.process.role': 'renderer', 'process.pid': 110 },
  });
  expect(readCursor(file, target.logs?.key ?? '')).toMatchObject({ sentCount: 5, sequence: 6 });
  const again = await exportRecording(file, { target, runtime });
  expect(again.logs).toMatchObject({ sent: 0, alreadyDelivered: 5, left: 0 });
  expect(records).toHaveLength(5);
  await exportRecording(file, { target, runtime, resend: true });
  expect(records).toHaveLength(10);
  expect(new Set(records.map((record) => record.attributes['log.record.uid'])).size).toBe(5);
});

test('under random faults and kills each event arrives with one text under its id, or is counted', async () => {
  const fault = fc.constantFrom('sent', 'lost reply', '503', '413', '400', 'kill', 'kill after');
  await fc.assert(
    fc.asyncProperty(fc.array(fault, { maxLength: 40 }), fc.nat(30), async (faults, count) => {
      const script = faults.values();
      const texts = new Map<unknown, Set<string>>();
      const cursors = new MemoryCursors();
      const sendLogs = async (body: Uint8Array): Promise<SendResult> => {
        const next = script.next().value ?? 'sent';
        if (next === 'kill') throw new Killed();
        if (['sent', 'lost reply', 'kill after'].includes(next)) {
          for (const { attributes, ...record } of decodeJsonLogs(body).records) {
            const id = attributes['log.record.uid'];
            texts.set(id, (texts.get(id) ?? new Set()).add(String(Object.values(record))));
          }
        }
        if (next === 'kill after') throw new Killed();
        return answers[next] ?? { kind: 'sent' };
      };
      let dropped = 0;
      for (let done = false; !done; ) {
        try {
          const { logs } = await run('http://h:4318', {
            limits: { items: 7 },
            runtime: {
              cursors,
              open: () => recordingOf(count),
              send: async () => ({ kind: 'sent' }),
              sendLogs,
            },
          });
          dropped += Object.values(logs?.dropped ?? {}).reduce((sum, one) => sum + one, 0);
          done = logs?.left === 0;
        } catch (error) {
          if (!(error instanceof Killed)) throw error;
        }
      }
      expect(texts.size + dropped).toBeGreaterThanOrEqual(count + 2);
      for (const one of texts.values()) expect(one.size).toBe(1);
    }),
    { numRuns: 40 },
  );
});

const answers: Record<string, SendResult> = {
  'lost reply': { kind: 'retry', afterMs: null, reason: 'ECONNRESET' },
  '503': { kind: 'retry', afterMs: null, reason: 'status 503' },
  '413': { kind: 'rejected', status: 413, message: '' },
  '400': { kind: 'rejected', status: 400, message: 'bad' },
};

class Killed extends Error {}

function recordingOf(eventCount: number) {
  const events = Array.from(
    { length: eventCount },
    (_, at): RecordingEvent => ({
      kind: 'limit_change',
      timeUnixMs: startUnixMs,
      fromBytes: at * mib,
      toBytes: (at + 1) * mib,
    }),
  );
  return fakeRecording({ samples: [fakeSample({ second: 0 })], events });
}

function jsonTarget(endpoint: string) {
  return resolveTarget({ endpoint, protocol: 'http/json' }, {});
}

function run(url: string, options: Partial<ExportOptions> = {}) {
  return exportRecording('fake.db', {
    target: jsonTarget(url),
    ...options,
    runtime: {
      open: goldenRecording,
      cursors: new MemoryCursors(),
      now: later,
      sleep: async () => undefined,
      ...options.runtime,
    },
  });
}

async function mockWith(script: object): Promise<OtlpMock> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'headroom-logs-'));
  folders.push(folder);
  const mock = await startMockWith(folder, script);
  mocks.push(mock);
  return mock;
}

function take(records: WireRecord[], body: Uint8Array): SendResult {
  records.push(...decodeJsonLogs(body).records);
  return { kind: 'sent' };
}

/** Each event is written with the first tick that is not before it. */
function writeGolden(file: string): void {
  const { samples, events = [] } = goldenParts();
  const { facts } = goldenRecording();
  const writer = StoreWriter.open(file, facts);
  let beforeUnixMs = 0;
  for (const sample of samples) {
    const { timeUnixMs } = sample;
    const isNew = (at: number | null) => at !== null && at > beforeUnixMs && at <= timeUnixMs;
    writer.writeSample(
      sample,
      events.filter((event) => isNew(event.timeUnixMs)),
    );
    beforeUnixMs = timeUnixMs;
  }
  writer.close({ endedUnixMs: beforeUnixMs, endReason: 'duration' });
}
