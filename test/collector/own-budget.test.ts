import { expect, test } from 'vitest';
import { OwnBudget } from '../../src/collector/own-budget.ts';
import { fakeSample } from '../support/fake-sample.ts';

/** Factors over time for a collector that uses so much CPU a second. */
function factors(cpuMsPerSecond: readonly number[]): number[] {
  const budget = new OwnBudget();
  let cpuMs = 0;
  return cpuMsPerSecond.map((used, second) => {
    cpuMs += used;
    const sample = fakeSample({ second, monotonicMs: second * 1000 });
    return budget.factor({ ...sample, collector: { ...sample.collector, cpuMs } });
  });
}

test('15 ms a second is no reason to slow down', () => {
  expect(new Set(factors(Array(60).fill(15)))).toEqual(new Set([1]));
});

test('more than a tenth of a core for 10 s doubles the interval, eight times at most', () => {
  const all = factors(Array(100).fill(150));
  expect([all[9], all[10], all[20], all[30], all[99]]).toEqual([1, 2, 4, 8, 8]);
});

test('comes back when it costs little again', () => {
  const all = factors([...Array(25).fill(150), ...Array(40).fill(10)]);
  expect([all[24], all[40], all[50]]).toEqual([4, 2, 1]);
});
