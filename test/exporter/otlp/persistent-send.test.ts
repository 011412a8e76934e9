import { describe, expect, test } from 'vitest';
import { type Patience, sendPersistently } from '../../../src/exporter/otlp/persistent-send.ts';
import type { SendResult } from '../../../src/exporter/otlp/response.ts';

const throttled: SendResult = { kind: 'retry', afterMs: 2000, reason: 'status 429' };
const unavailable: SendResult = { kind: 'retry', afterMs: null, reason: 'status 503' };
const broken: SendResult = { kind: 'rejected', status: 500, message: 'boom' };
const sent: SendResult = { kind: 'sent' };
const body = Buffer.from('x');

test('what was throttled is sent again after the time that the receiver asked for', async () => {
  const world = worldOf([throttled, throttled, sent]);
  expect(await sendPersistently(body, world.patience)).toEqual(sent);
  expect(world.slept).toEqual([2000, 2000]);
});

test('waits double from 1 s to 60 s, half of each by chance, for as long as it takes', async () => {
  const many = Array.from({ length: 10 }, () => unavailable);
  const seconds = [1, 2, 4, 8, 16, 32, 60, 60, 60, 60];
  const patient = worldOf([...many, sent], { random: () => 0.999_999 });
  expect(await sendPersistently(body, patient.patience)).toEqual(sent);
  expect(patient.slept).toEqual(seconds.map((second) => second * 1000));
  const lucky = worldOf([...many, sent], { random: () => 0 });
  await sendPersistently(body, lucky.patience);
  expect(lucky.slept).toEqual(seconds.map((second) => second * 500));
});

test.each([0, 1, 999])('Retry-After of %i ms makes no wait shorter', async (afterMs) => {
  const answer: SendResult = { kind: 'retry', afterMs, reason: 'status 429' };
  const delaysMs: number[] = [];
  const world = worldOf([...Array.from({ length: 8 }, () => answer), sent], {
    random: () => 0.999_999,
    onWait: ({ delayMs }) => delaysMs.push(delayMs),
  });
  expect(await sendPersistently(body, world.patience)).toEqual(sent);
  expect(delaysMs).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
  expect(world.slept.reduce((sum, ms) => sum + ms)).toBe(183_000);
});

test('a hurry cuts short what was not asked for, and no more', async () => {
  const hurry = new AbortController();
  const sleeps: { ms: number; signal: AbortSignal }[] = [];
  const asked: SendResult = { kind: 'retry', afterMs: 2500, reason: 'status 429' };
  const world = worldOf([unavailable, unavailable, unavailable, asked, sent], {
    hurry: hurry.signal,
    sleep: async (ms, signal) => void sleeps.push({ ms, signal }),
    random: () => 0,
  });
  expect(await sendPersistently(body, world.patience)).toEqual(sent);
  hurry.abort();
  expect(sleeps.map(({ ms, signal }) => [ms, signal.aborted])).toEqual([
    [500, true],
    [1000, true],
    [2000, true],
    [2500, false],
    [1500, true],
  ]);
});

describe('a receiver that fails with 500', () => {
  test('is offered the same five times, and then it is a refusal', async () => {
    const world = worldOf(Array.from({ length: 9 }, () => broken));
    expect(await sendPersistently(body, world.patience)).toEqual(broken);
    expect(world.slept).toHaveLength(4);
  });

  test('is not waited for when that was done before', async () => {
    const world = worldOf([broken]);
    expect(await sendPersistently(body, world.patience, 1)).toEqual(broken);
    expect(world.slept).toEqual([]);
  });
});

test.each<SendResult>([
  { kind: 'partial', rejected: 3, message: 'old' },
  { kind: 'rejected', status: 400, message: 'bad' },
])('$kind is the receiver’s last word', async (result) => {
  const world = worldOf([result]);
  expect(await sendPersistently(body, world.patience)).toEqual(result);
  expect(world.slept).toEqual([]);
});

test('wrong settings stop at once', async () => {
  const world = worldOf([{ kind: 'misconfigured', message: 'answers 404', hint: 'Check it.' }]);
  expect(await sendPersistently(body, world.patience)).toEqual({
    kind: 'stop',
    stop: { kind: 'failed', message: 'answers 404', hint: 'Check it.' },
  });
});

test('time that is over ends it, with the last reason', async () => {
  const over = new AbortController();
  const world = worldOf([unavailable, unavailable, unavailable], {
    timeIsOver: over.signal,
    onWait: () => world.slept.length === 1 && over.abort(),
  });
  expect(await sendPersistently(body, world.patience)).toEqual({
    kind: 'stop',
    stop: { kind: 'out_of_time', reason: 'status 503' },
  });
  expect(world.slept).toHaveLength(2);
});

test('a request that is cut off does not hide the failure before it', async () => {
  const over = new AbortController();
  const results: SendResult[] = [
    { kind: 'retry', afterMs: null, reason: 'ECONNREFUSED' },
    { kind: 'retry', afterMs: null, reason: 'no answer yet' },
  ];
  const world = worldOf([], { timeIsOver: over.signal });
  let requests = 0;
  const send = async (): Promise<SendResult> => {
    if (requests === 1) over.abort();
    return results[requests++] ?? sent;
  };
  expect(await sendPersistently(body, { ...world.patience, send })).toEqual({
    kind: 'stop',
    stop: { kind: 'out_of_time', reason: 'ECONNREFUSED' },
  });
});

test('in a hurry no wait of one’s own is longer than a second, but the receiver’s wish is kept', async () => {
  const results = [unavailable, unavailable, unavailable, unavailable, throttled, sent];
  const world = worldOf(results, { hurry: AbortSignal.abort(), random: () => 0.999_999 });
  await sendPersistently(body, world.patience);
  expect(world.slept).toEqual([1000, 1000, 1000, 1000, 2000]);
});

test('a hurry that begins during a wait cuts it short', async () => {
  const hurry = new AbortController();
  const world = worldOf([unavailable, sent], {
    hurry: hurry.signal,
    sleep: (_, signal) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve());
        hurry.abort();
      }),
  });
  expect(await sendPersistently(body, world.patience)).toEqual(sent);
});

/** A receiver that answers in turn, and a clock that does not run. */
function worldOf(results: readonly SendResult[], parts: Partial<Patience> = {}) {
  const slept: number[] = [];
  const answers = results.values();
  const never = new AbortController().signal;
  const patience: Patience = {
    send: async () => {
      const { value } = answers.next();
      if (value === undefined) throw new Error('a request too many');
      return value;
    },
    sleep: async (ms) => {
      slept.push(ms);
    },
    random: () => 0.5,
    hurry: never,
    timeIsOver: never,
    onWait: () => undefined,
    ...parts,
  };
  return { patience, slept };
}
