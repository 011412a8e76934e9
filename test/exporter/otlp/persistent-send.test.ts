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
