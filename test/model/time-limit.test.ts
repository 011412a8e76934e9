import { setImmediate as turn } from 'node:timers/promises';
import v8 from 'node:v8';
import vm from 'node:vm';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { timeLimit } from '../../src/model/time-limit.ts';

v8.setFlagsFromString('--expose-gc');
const collectGarbage: () => void = vm.runInNewContext('gc');

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

test('fires although only AbortSignal.any knows it and garbage was collected', async () => {
  const another = new AbortController();
  const signal = (() => AbortSignal.any([another.signal, timeLimit(300).signal]))();
  const garbage = (() => new WeakRef(new AbortController()))();
  // What a WeakRef was made of, or asked for, lives as long as the turn of the event loop.
  for (let round = 0; round < 3; round++) {
    await turn();
    collectGarbage();
  }
  expect(garbage.deref()).toBeUndefined();
  vi.advanceTimersByTime(299);
  expect(signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(signal.aborted).toBe(true);
  expect(signal.reason).toMatchObject({ name: 'TimeoutError' });
});

test('does not fire when it was disposed of', () => {
  const { signal } = (() => {
    using limit = timeLimit(5);
    return limit;
  })();
  vi.advanceTimersByTime(50);
  expect(signal.aborted).toBe(false);
});
