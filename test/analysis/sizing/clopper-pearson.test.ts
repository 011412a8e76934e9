import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  cleanRunNeeded,
  hitsNeeded,
  moreHitsNeeded,
  shareLowerBound,
} from '../../../src/analysis/sizing/clopper-pearson.ts';

test.each([1, 5, 20, 59, 299, 1000])('%i of %i: the root of the doubt, 0.05^(1/n)', (n) => {
  expect(shareLowerBound({ hits: n, total: n }, 0.95)).toBeCloseTo(0.05 ** (1 / n), 12);
});

test.each([
  // qbeta(0.05, x, n - x + 1) of R.
  [9, 10, 0.95, 0.6058367],
  [8, 10, 0.95, 0.4930987],
  [5, 10, 0.95, 0.2224411],
  [1, 10, 0.95, 0.0051162],
])('%i of %i at %f: as R has it', (hits, total, confidence, expected) => {
  expect(shareLowerBound({ hits, total }, confidence)).toBeCloseTo(expected, 7);
});

test.each([10, 300, 5000])('one of %i, and all but one: by hand', (n) => {
  // P(X ≥ 1) = 1 − (1 − p)^n
  expect(shareLowerBound({ hits: 1, total: n }, 0.95)).toBeCloseTo(1 - 0.95 ** (1 / n), 12);
  // P(X ≥ n − 1) = n p^(n−1) (1 − p) + p^n
  const p = shareLowerBound({ hits: n - 1, total: n }, 0.95);
  expect(n * p ** (n - 1) * (1 - p) + p ** n).toBeCloseTo(0.05, 9);
});

test('nothing hit, and no sample: no bound', () => {
  expect(shareLowerBound({ hits: 0, total: 10 }, 0.95)).toBe(0);
  expect(shareLowerBound({ hits: 0, total: 0 }, 0.95)).toBe(0);
});

test('how many clean ones: 299 for 99 % at 95 %, 59 for 95 %, 22 for 90 % at 90 %', () => {
  // The sample sizes of Wilks for one-sided tolerance limits.
  expect(cleanRunNeeded(0.99, 0.95)).toBe(299);
  expect(cleanRunNeeded(0.95, 0.95)).toBe(59);
  expect(cleanRunNeeded(0.9, 0.9)).toBe(22);
  expect(cleanRunNeeded(0.5, 0.5)).toBe(1);
});

test('how many more: one miss takes 473 in all, two take 628', () => {
  // Wilks: 95 % / 99 % by the second and third largest.
  expect(moreHitsNeeded({ hits: 20, total: 20 }, 0.99, 0.95)).toBe(279);
  expect(moreHitsNeeded({ hits: 299, total: 299 }, 0.99, 0.95)).toBe(0);
  expect(moreHitsNeeded({ hits: 0, total: 1 }, 0.99, 0.95)).toBe(472);
  expect(moreHitsNeeded({ hits: 0, total: 2 }, 0.99, 0.95)).toBe(626);
  expect(moreHitsNeeded({ hits: 0, total: 0 }, 0.99, 0.95)).toBe(299);
  expect(moreHitsNeeded({ hits: 0, total: 1 }, 0.9999999, 0.95)).toBeNull();
});

test('which order statistic is a tolerance limit', () => {
  expect(hitsNeeded(298, 0.99, 0.95)).toBeNull();
  expect(hitsNeeded(299, 0.99, 0.95)).toBe(299);
  expect(hitsNeeded(473, 0.99, 0.95)).toBe(472);
  expect(hitsNeeded(628, 0.99, 0.95)).toBe(626);
  expect(hitsNeeded(0, 0.99, 0.95)).toBeNull();
});

const tallies = fc
  .integer({ min: 1, max: 3000 })
  .chain((total) =>
    fc.record({ total: fc.constant(total), hits: fc.integer({ min: 0, max: total }) }),
  );
const confidences = fc.double({ min: 0.5, max: 0.999, noNaN: true });

test('never above the share itself, and never negative', () => {
  fc.assert(
    fc.property(tallies, confidences, (tally, confidence) => {
      const bound = shareLowerBound(tally, confidence);
      expect(bound).toBeGreaterThanOrEqual(0);
      expect(bound).toBeLessThanOrEqual(tally.hits / tally.total);
    }),
  );
});

test('rises with a hit, falls with a miss and with the confidence', () => {
  fc.assert(
    fc.property(tallies, confidences, ({ hits, total }, confidence) => {
      const bound = shareLowerBound({ hits, total }, confidence);
      const hit = shareLowerBound({ hits: hits + 1, total: total + 1 }, confidence);
      const miss = shareLowerBound({ hits, total: total + 1 }, confidence);
      const surer = shareLowerBound({ hits, total }, (1 + confidence) / 2);
      expect(hit).toBeGreaterThanOrEqual(bound - 1e-12);
      expect(miss).toBeLessThanOrEqual(bound + 1e-12);
      expect(surer).toBeLessThanOrEqual(bound + 1e-12);
    }),
  );
});
