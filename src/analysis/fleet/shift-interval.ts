import { censoredRankTest, type Demands } from './censored-rank-test.ts';

/** By which factor demands differ; null: nothing in the data bounds it on that side. */
export interface FactorInterval {
  estimate: number | null;
  low: number | null;
  high: number | null;
}

// A factor of 2980 either way.
const furthest = 8;
const steps = 45;

/**
 * By which factor `b` needs more than `a`: every factor that the rank test does not refuse (Hodges and
 * Lehmann 1963), so that interval and test never contradict each other, and censored sessions count as
 * what they are. The estimate is where as many pairs speak for more as for less.
 */
export function factorInterval(a: Demands, b: Demands, confidence: number): FactorInterval {
  const doubt = 1 - confidence;
  const test = (shift: number) => censoredRankTest(a, b, shift);
  // Each is true up to a shift, and false from there on.
  const isMore = (shift: number) => {
    const { score, p } = test(shift);
    return score > 0 && p < doubt;
  };
  const isNotLess = (shift: number) => {
    const { score, p } = test(shift);
    return score >= 0 || p >= doubt;
  };
  const middle = [
    lastOf((shift) => test(shift).score > 0),
    lastOf((shift) => test(shift).score >= 0),
  ];
  const [from, to] = middle;
  return {
    estimate: from == null || to == null ? null : Math.exp((from + to) / 2),
    low: factor(lastOf(isMore)),
    high: factor(lastOf(isNotLess)),
  };
}

/** Where it changes from true to false; null: it does not within all that is looked at. */
function lastOf(holds: (shift: number) => boolean): number | null {
  let low = -furthest;
  let high = furthest;
  if (!holds(low) || holds(high)) return null;
  for (let step = 0; step < steps; step++) {
    const middle = (low + high) / 2;
    if (holds(middle)) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

function factor(shift: number | null): number | null {
  return shift === null ? null : Math.exp(shift);
}
