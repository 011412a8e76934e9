import fc from 'fast-check';
import { expect, test } from 'vitest';
import { normalCdf, normalQuantile } from '../../../src/analysis/sizing/normal.ts';
import {
  changePoint,
  ranksOf,
  shiftTest,
  trendTest,
} from '../../../src/analysis/sizing/rank-tests.ts';

test.each([
  // The usual tables.
  [0, 0.5],
  [1, 0.8413447],
  [1.644854, 0.95],
  [-1.959964, 0.025],
  [2.326348, 0.99],
  [4.5, 0.9999966],
])('the normal distribution at %f is %f, and back', (z, share) => {
  expect(normalCdf(z)).toBeCloseTo(share, 6);
  expect(normalQuantile(normalCdf(z))).toBeCloseTo(z, 6);
});

test('equal values share the middle of their ranks', () => {
  expect(ranksOf([30, 10, 20, 20])).toEqual([4, 1, 2.5, 2.5]);
});

test('Mann–Kendall by hand: 45 rising pairs of ten values', () => {
  // S = 45, variance 10 · 9 · 25 / 18 = 125, z = 44 / √125
  expect(trendTest([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]).z).toBeCloseTo(44 / Math.sqrt(125), 12);
  // Four pairs are equal in 1 1 2 2 3: two; S = 8, variance (5·4·15 − 2 · 2·1·9) / 18 = 264 / 18
  expect(trendTest([1, 1, 2, 2, 3]).z).toBeCloseTo(7 / Math.sqrt(264 / 18), 12);
  expect(trendTest([5, 5, 5]).p).toBe(1);
});

test('rank sum by hand: 1 2 3 against 4 5 6 7', () => {
  // U = 12 of 12, mean 6, variance 3 · 4 · 8 / 12 = 8; with half a step of correction 5.5 / √8
  expect(shiftTest([1, 2, 3], [4, 5, 6, 7]).z).toBeCloseTo(5.5 / Math.sqrt(8), 12);
  expect(shiftTest([4, 5, 6, 7], [1, 2, 3]).z).toBeLessThan(0);
});

test('Pettitt by hand: the step of ten values is found, with K = 25', () => {
  const { at, p, z } = changePoint([1, 2, 3, 4, 5, 16, 17, 18, 19, 20]);
  expect(at).toBe(5);
  expect(z).toBe(1);
  // 5 · 11 − 2 · 15 = 25
  expect(p).toBeCloseTo(2 * Math.exp((-6 * 625) / 1100), 12);
});

test('the trend of a list is the opposite of that of the list backwards', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 60 }), (values) => {
      const forward = trendTest(values);
      const backward = trendTest(values.toReversed());
      expect(forward.z + backward.z).toBeCloseTo(0, 9);
      expect(forward.p).toBeCloseTo(backward.p, 9);
      expect(forward.p).toBeGreaterThanOrEqual(0);
    }),
  );
});

test('pairs are counted one by one with the same result', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 2, maxLength: 40 }), (v) => {
      let score = 0;
      for (let a = 0; a < v.length; a++) {
        for (let b = a + 1; b < v.length; b++) score += Math.sign((v[b] ?? 0) - (v[a] ?? 0));
      }
      // A sum with 0 makes no difference of −0.
      expect(Math.sign(trendTest(v).z) + 0).toBe(Math.abs(score) <= 1 ? 0 : Math.sign(score));
    }),
  );
});
