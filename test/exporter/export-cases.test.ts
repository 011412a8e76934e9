import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { exportRecording } from '../../src/exporter/export-loop.ts';
import type {
  ExportEvent,
  ExportOptions,
  ExportResult,
} from '../../src/exporter/export-options.ts';
import type { Recording } from '../../src/model/recording.ts';
import { caseJson } from '../support/cases.ts';
import {
  delaysOf,
  jsonTarget,
  MemoryCursors,
  soonAfter,
  tenPointRecording,
  warningsOf,
} from '../support/export-fakes.ts';
import { type OtlpMock, startMock, startMockWith } from '../support/otlp-mock.ts';

const mocks: OtlpMock[] = [];
const folders: string[] = [];

afterEach(async () => {
  for (const mock of mocks.splice(0)) await mock.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

test('case 067: throttled twice with Retry-After, then delivered once', async () => {
  const mock = await caseMock('067-otlp-429-retry-after-seconds');
  const { result, events } = await exportTo(mock, tenPointRecording(1));
  expect(delaysOf(events)).toEqual([2000, 2000]);
  expect(mock.requests.map(({ status, points }) => [status, points])).toEqual([
    [429, 10],
    [429, 10],
    [200, 10],
  ]);
  expect(result).toEqual({
    sent: 10,
    rejected: 0,
    dropped: {},
    retries: 2,
    left: 0,
    alreadyDelivered: 0,
    problem: null,
    logs: null,
  });
});

test('case 067, with a date: not earlier than it says', async () => {
  const mock = await scriptedMock({ steps: [{ status: 503, retryAfterDateIn: 30 }] });
  const { events } = await exportTo(mock, tenPointRecording(1), { runtime: { now: Date.now } });
  const [delayMs = 0] = delaysOf(events);
  // A date has whole seconds.
  expect(delayMs).toBeGreaterThan(28_000);
  expect(delayMs).toBeLessThanOrEqual(30_000);
});

test('case 070: a partial success is counted, told once, kept, and not sent again', async () => {
  const expected = caseJson('070-otlp-partial-success/expected.json');
  const mock = await caseMock('070-otlp-partial-success');
  const cursors = new MemoryCursors();
  const { result, events } = await exportTo(mock, tenPointRecording(1), { runtime: { cursors } });
  expect(result).toEqual({
    ...(expected as object),
    dropped: {},
    left: 0,
    alreadyDelivered: 0,
    problem: null,
    logs: null,
  });
  expect(mock.requests).toHaveLength(1);
  expect(warningsOf(events)).toEqual(['the receiver says: too old sample']);
  expect([...cursors.cursors.values()][0]).toMatchObject({
    sentCount: 10,
    rejectedCount: 3,
    detail: expect.stringContaining('too old sample'),
  });
});

test.each([
  ['413', { status: 413, body: 'too big' }],
  ['400 with the text of a collector', { status: 400, body: 'http: request body too large' }],
])('case 072: %s splits the batch, and every point of 20000 arrives', async (_, refusal) => {
  const mock =
    refusal.status === 413
      ? await caseMock('072-otlp-413')
      : await scriptedMock({ steps: [refusal] });
  const recording = tenPointRecording(2000);
  const { result } = await exportTo(mock, recording);
  expect(countsOf(result)).toEqual({ sent: 20_000, rejected: 0, dropped: {}, left: 0 });
  const taken = mock.requests.filter(({ status }) => status === 200);
  expect(taken.reduce((sum, { points }) => sum + (points ?? 0), 0)).toBe(20_000);
  expect(Math.max(...mock.requests.map(({ bytes }) => bytes))).toBeLessThanOrEqual(1_000_000);
});

test('case 074: a login page is not a delivery, and nothing is given up', async () => {
  const mock = await caseMock('074-otlp-200-with-html');
  const cursors = new MemoryCursors();
  const { result } = await exportTo(mock, tenPointRecording(3), { runtime: { cursors } });
  expect(mock.requests).toHaveLength(1);
  expect(countsOf(result)).toEqual({ sent: 0, rejected: 0, dropped: {}, left: 30 });
  expect(result.problem?.code).toBe('EXPORT_INCOMPLETE');
  expect(result.problem?.message).toContain('<html><title>Sign in</title></html>');
  expect(result.problem?.message).toContain(`${mock.url}/v1/metrics`);
  expect(cursors.cursors.size).toBe(0);
});

test.each([
  ['an empty 200', { status: 200 }],
  ['an empty 204', { status: 204 }],
])('case 074: %s is a delivery', async (_, after) => {
  const { result } = await exportTo(await scriptedMock({ after }), tenPointRecording(1));
  expect(countsOf(result)).toEqual({ sent: 10, rejected: 0, dropped: {}, left: 0 });
});

describe('case 076: classes of failure', () => {
  test('503, 502, 504 and 500 are offered again, with back-off', async () => {
    const mock = await caseMock('076-otlp-5xx-classes');
    const { result, events } = await exportTo(mock, tenPointRecording(1));
    expect(mock.requests.map(({ status }) => status)).toEqual([503, 502, 504, 500, 200]);
    expect(delaysOf(events)).toEqual([750, 1500, 3000, 6000]);
    expect(result).toMatchObject({
      sent: 10,
      retries: 4,
      left: 0,
      alreadyDelivered: 0,
      problem: null,
    });
  });

  test('500 for ever is offered a bounded number of times, and the points stay', async () => {
    const mock = await scriptedMock({ after: { status: 500, body: 'boom' } });
    const { result } = await exportTo(mock, tenPointRecording(20));
    expect(mock.requests.length).toBeLessThan(40);
    expect(countsOf(result)).toEqual({ sent: 0, rejected: 0, dropped: {}, left: 200 });
    expect(result.problem?.message).toContain('status 500 boom');
  });

  test('400 is not repeated as it was, but in parts', async () => {
    const mock = await scriptedMock({ steps: [{ status: 400 }, { status: 400 }] });
    const { result, events } = await exportTo(mock, tenPointRecording(1));
    expect(delaysOf(events)).toEqual([]);
    expect(mock.requests.map(({ points }) => points)).toEqual([10, 5, 3, 2, 5]);
    expect(countsOf(result)).toEqual({ sent: 10, rejected: 0, dropped: {}, left: 0 });
  });

  test.each([401, 403, 404])('%i names the URL and the status, once', async (status) => {
    const mock = await scriptedMock({ after: { status } });
    const { result } = await exportTo(mock, tenPointRecording(2));
    expect(mock.requests).toHaveLength(1);
    expect(countsOf(result)).toEqual({ sent: 0, rejected: 0, dropped: {}, left: 20 });
    expect(result.problem?.message).toContain(`${mock.url}/v1/metrics answers ${status}`);
  });
});

describe('case 080: points that are too old for the receiver', () => {
  test('are counted and never sent again, and newer points flow', async () => {
    const { blocked } = caseJson<{ blocked: boolean }>('080-otlp-backfill-too-old/expected.json');
    const mock = await caseMock('080-otlp-backfill-too-old');
    const cursors = new MemoryCursors();
    const limits = { items: 10 };
    const options = { limits, runtime: { cursors, now: () => soonAfter(7200) } };
    const { result, events } = await exportTo(mock, tenPointRecording(3), options);
    expect(countsOf(result)).toEqual({
      sent: 20,
      rejected: 8,
      dropped: { too_old: 10 },
      left: blocked ? expect.anything() : 0,
    });
    expect(mock.requests.map(({ points }) => points)).toEqual([10, 10, 10]);
    expect(events[0]).toMatchObject({ kind: 'warning', message: expect.stringContaining('old') });
    expect(warningsOf(events)[0]).toContain('out_of_order_time_window');
    const again = await exportTo(mock, tenPointRecording(3), options);
    expect(countsOf(again.result)).toEqual({ sent: 0, rejected: 0, dropped: {}, left: 0 });
    expect(mock.requests).toHaveLength(3);
  });

  test('the warning comes for points beyond the window that is set, and only then', async () => {
    const mock = await scriptedMock({});
    const now = () => soonAfter(7200);
    const oldAfterMs = 3 * 3_600_000;
    const { events } = await exportTo(mock, tenPointRecording(1), { oldAfterMs, runtime: { now } });
    expect(warningsOf(events)).toEqual([]);
  });
});

test('case 082: a receiver that needs longer than the deadline leaves a number, not a hang', async () => {
  const mock = await caseMock('082-otlp-shutdown-deadline');
  const stop = new AbortController();
  const running = exportTo(mock, tenPointRecording(2), {
    stop: stop.signal,
    deadlineMs: null,
    // Of the 5 s to come to an end a tenth is waited here; an answer takes 20 s.
    runtime: { sleep: scaledSleep(0.1) },
  });
  await vi.waitUntil(() => mock.requests.length === 1, { timeout: 60_000 });
  stop.abort();
  const { result } = await running;
  expect(mock.requests).toHaveLength(1);
  expect(countsOf(result)).toEqual({ sent: 0, rejected: 0, dropped: {}, left: 20 });
  expect(result.problem?.message).toBe(
    `20 points are not delivered to ${mock.url}/v1/metrics: time is over (no answer yet)`,
  );
});

/** The script of a case. */
async function caseMock(name: string): Promise<OtlpMock> {
  const file = new URL(`../fixtures/cases/${name}/script.json`, import.meta.url);
  const mock = await startMock(fileURLToPath(file));
  mocks.push(mock);
  return mock;
}

async function scriptedMock(script: object): Promise<OtlpMock> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'headroom-export-'));
  folders.push(folder);
  const mock = await startMockWith(folder, script);
  mocks.push(mock);
  return mock;
}

/** An export in which no wait takes time, unless it is told otherwise. */
async function exportTo(
  mock: OtlpMock,
  recording: Recording,
  options: Partial<ExportOptions> = {},
): Promise<{ result: ExportResult; events: ExportEvent[] }> {
  const events: ExportEvent[] = [];
  const result = await exportRecording('fake.db', {
    target: jsonTarget(mock.url),
    onEvent: (event) => events.push(event),
    ...options,
    runtime: {
      open: () => recording,
      cursors: new MemoryCursors(),
      now: () => soonAfter(recording.tickCount()),
      sleep: async () => undefined,
      random: () => 0.5,
      ...options.runtime,
    },
  });
  await mock.allSeen();
  return { result, events };
}

function countsOf({ sent, rejected, dropped, left }: ExportResult) {
  return { sent, rejected, dropped, left };
}

function scaledSleep(factor: number): (ms: number, signal: AbortSignal) => Promise<void> {
  return (ms, signal) =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms * factor);
      signal.addEventListener('abort', () => {
        clearTimeout(timer);
        resolve();
      });
    });
}
