import { expect, test } from 'vitest';
import { readSeldom } from '../../src/agentos/vm-recording.ts';
import { fakeSample } from '../support/fake-sample.ts';

/** The ticks at which the log was read, by the counter of kills at each tick. */
function readsAt(counts: readonly (number | null)[]): number[] {
  const reads: number[] = [];
  let tick = 0;
  const seldom = readSeldom({
    read: () => {
      reads.push(tick);
      return [];
    },
    finish: () => [],
  });
  for (const oomKillCount of counts) {
    const sample = fakeSample({ second: tick, activity: { oomKillCount } });
    seldom.read({ sample, ended: [], nowMonotonicMs: 0, nowUnixMs: 0 });
    tick++;
  }
  return reads;
}

test('the log is read every ten ticks, and for three when the counter has moved', () => {
  const counts = Array.from({ length: 22 }, (_, tick) => (tick < 14 ? 27 : 28));
  expect(readsAt(counts)).toEqual([0, 1, 2, 10, 14, 15, 16, 20]);
});

test('without a counter every ten ticks', () => {
  expect(readsAt(Array.from({ length: 21 }, () => null))).toEqual([0, 10, 20]);
});
