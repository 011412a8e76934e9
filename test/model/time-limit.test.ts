import { setTimeout as sleep } from 'node:timers/promises';
import v8 from 'node:v8';
import vm from 'node:vm';
import { expect, test, vi } from 'vitest';
import { timeLimit } from '../../src/model/time-limit.ts';

v8.setFlagsFromString('--expose-gc');
const collectGarbage: () => void = vm.runInNewContext('gc');

test('fires although only AbortSignal.any knows it and garbage was collected', async () => {
  const another = new AbortController();
  const signal = (() => AbortSignal.any([another.signal, timeLimit(300).signal]))();
  await sleep(20);
  collectGarbage();
  await sleep(20);
  collectGarbage();
  await vi.waitFor(() => expect(signal.aborted).toBe(true), { timeout: 60_000 });
  expect(signal.reason).toMatchObject({ name: 'TimeoutError' });
});

test('does not fire when it was disposed of', async () => {
  const { signal } = (() => {
    using limit = timeLimit(5);
    return limit;
  })();
  await sleep(50);
  expect(signal.aborted).toBe(false);
});
