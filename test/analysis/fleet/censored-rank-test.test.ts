import { describe, expect, test } from 'vitest';
import {
  censoredRankTest,
  type Demand,
  leastToProve,
  sortedDemands,
} from '../../../src/analysis/fleet/censored-rank-test.ts';
import { factorInterval } from '../../../src/analysis/fleet/shift-interval.ts';
import { shiftTest } from '../../../src/analysis/sizing/rank-tests.ts';

/** `6+`: more than 6. */
function demands(text: string) {
  return sortedDemands(
    text
      .split(' ')
      .map((one): Demand => ({ log: Number.parseFloat(one), isCensored: one.endsWith('+') })),
  );
}

// Hollander and Wolfe (1973), page 69, as in the help of wilcox.test in R: p = 0.1272 one-sided, and of
// the difference x - y 0.305, between -0.15 and 0.76.
const x = demands('0.80 0.83 1.89 1.04 1.45 1.38 1.91 1.64 0.73 1.46');
const y = demands('1.15 0.88 0.90 0.74 1.21');

// Weeks of remission of Freireich (1963), the example of Gehan (1965): a score of 271.
const placebo = demands('1 1 2 2 3 4 4 5 5 8 8 8 8 11 11 12 12 15 17 22 23');
const treated = demands('6 6 6 6+ 7 9+ 10 10+ 11+ 13 16 17+ 19+ 20+ 22 23 25+ 32+ 32+ 34+ 35+');

describe('the rank test', () => {
  test('without censored ones it is that of Wilcoxon, exact with few', () => {
    const { score, p } = censoredRankTest(x, y);
    // Of 50 pairs 15 less 35.
    expect(score).toBe(-20);
    expect(p).toBeCloseTo(2 * 0.1272, 4);
  });

  test('with many it is the normal approximation of the sizing', () => {
    const earlier = Array.from({ length: 30 }, (_, at) => (at * 7) % 23);
    const later = Array.from({ length: 25 }, (_, at) => 4 + ((at * 5) % 19));
    const known = shiftTest(earlier, later);
    const found = censoredRankTest(
      sortedDemands(earlier.map((log) => ({ log, isCensored: false }))),
      sortedDemands(later.map((log) => ({ log, isCensored: false }))),
    );
    expect(found.z).toBeCloseTo(known.z, 10);
    expect(found.p).toBeCloseTo(known.p, 10);
  });

  test('the example of Gehan', () => {
    const { score, z, p } = censoredRankTest(placebo, treated);
    expect(score).toBe(271);
    // Every pair counted, variance of Mantel 5644.39: 270 / √5644.39.
    expect(z).toBeCloseTo(3.59381, 5);
    expect(p).toBeLessThan(0.001);
  });

  test('few and censored: all 70 divisions, of which 6 are as far', () => {
    const { score, p } = censoredRankTest(demands('1 2 3 4+'), demands('5 6+ 7 2.5+'));
    expect(score).toBe(11);
    expect(p).toBeCloseTo(6 / 70, 12);
  });

  test('three and three prove nothing, four and four may', () => {
    expect(censoredRankTest(demands('1 2 3'), demands('4 5 6')).p).toBeCloseTo(2 / 20, 12);
    expect(censoredRankTest(demands('1 2 3 4'), demands('5 6 7 8')).p).toBeCloseTo(2 / 70, 12);
  });

  test('nothing to compare, and nothing known', () => {
    expect(censoredRankTest(demands('1 2'), sortedDemands([]))).toMatchObject({ score: 0, p: 1 });
    expect(censoredRankTest(demands('1+ 2+'), demands('3+'))).toMatchObject({ score: 0, p: 1 });
  });
});

test.each([
  // Two of all divisions are as far apart: 2 of 20, of 70, of 252.
  [0.8, 3],
  [0.95, 4],
  [0.99, 5],
])('at %d confidence something is proven from so many on each side on: %i', (confidence, least) => {
  expect(leastToProve(confidence)).toBe(least);
});

describe('the interval of the factor', () => {
  test('is that of Hodges and Lehmann', () => {
    const { estimate, low, high } = factorInterval(x, y, 0.95);
    expect(Math.log(estimate ?? 0)).toBeCloseTo(-0.305, 6);
    expect(Math.log(low ?? 0)).toBeCloseTo(-0.76, 6);
    expect(Math.log(high ?? 0)).toBeCloseTo(0.15, 6);
  });

  test('three and three bound nothing', () => {
    expect(factorInterval(demands('1 2 3'), demands('4 5 6'), 0.95)).toMatchObject({
      low: null,
      high: null,
    });
  });

  test('sessions that all met their limit have no upper bound, and a lower one', () => {
    const a = demands('1 1.1 1.2 1.3 1.4 1.5 1.6 1.7');
    const b = demands('3+ 3+ 3+ 3+ 3+ 3+ 3+ 3+');
    const { low, high } = factorInterval(a, b, 0.95);
    expect(high).toBeNull();
    expect(Math.log(low ?? 0)).toBeGreaterThan(1);
  });

  test('contradicts the test never: 1 is outside just when it refuses', () => {
    for (const shift of [0, 0.1, 0.2, 0.4, 0.8]) {
      const a = sortedDemands(
        Array.from({ length: 12 }, (_, at) => ({ log: ((at * 7) % 12) / 12, isCensored: false })),
      );
      const b = sortedDemands(
        Array.from({ length: 10 }, (_, at) => ({
          log: shift + ((at * 3) % 10) / 11,
          isCensored: at === 4,
        })),
      );
      const { low, high } = factorInterval(a, b, 0.95);
      const isOutside = (low ?? 0) > 1 || (high ?? Number.POSITIVE_INFINITY) < 1;
      expect(isOutside).toBe(censoredRankTest(a, b).p < 0.05);
    }
  });
});
