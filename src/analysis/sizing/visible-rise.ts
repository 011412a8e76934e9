import { normalQuantile } from './normal.ts';

// So likely is a rise found that is told as visible.
const power = 0.9;
// Nobody asks about a demand that became a hundredfold.
const largestRise = Math.log(100);
// Pairs of so many values tell of their spread; more would only take longer.
const mostValues = 100;

/**
 * The smallest even rise over a history that the Mann–Kendall test (two-sided, at `doubt`) would find in
 * nine of ten histories whose values spread as these do: 0.5 is a demand that grew by a half from the
 * first to the last. Null where not even a hundredfold would be found, or nothing is known to spread.
 *
 * The score of the test is a sum over pairs. A rise of d in the logarithm lifts a pair that is k of
 * n − 1 steps apart by d·k/(n − 1), and the pair rises as often as two of the values differ by no more
 * than that, whatever their distribution. The variance is taken as without a rise, where it is largest.
 */
export function visibleRise(demands: readonly number[], doubt: number): number | null {
  const n = demands.length;
  const differences = differencesOf(demands);
  const variance = (n * (n - 1) * (2 * n + 5)) / 18;
  const needed = (normalQuantile(1 - doubt / 2) + normalQuantile(power)) * Math.sqrt(variance);
  const isVisible = (rise: number) => expectedScore(differences, n, rise) >= needed;
  if (differences.length === 0 || !isVisible(largestRise)) return null;
  let low = 0;
  let high = largestRise;
  for (let step = 0; step < 40; step++) {
    const middle = (low + high) / 2;
    if (isVisible(middle)) high = middle;
    else low = middle;
  }
  return Math.expm1(high);
}

/** How much the logarithms of two values differ, both ways round, the least first. */
function differencesOf(demands: readonly number[]): number[] {
  const step = Math.ceil(demands.length / mostValues);
  const logs = demands
    .filter((_, at) => at % step === 0)
    .map((bytes) => Math.log(Math.max(1, bytes)));
  const differences: number[] = [];
  logs.forEach((log, at) => {
    for (const other of logs.slice(at + 1)) differences.push(log - other, other - log);
  });
  return differences.sort((a, b) => a - b);
}

/** Pairs that rise less pairs that fall, on average. */
function expectedScore(differences: readonly number[], n: number, rise: number): number {
  let score = 0;
  let below = 0;
  for (let apart = 1; apart < n; apart++) {
    const lift = (rise * apart) / (n - 1);
    while (below < differences.length && (differences[below] ?? 0) < lift) below++;
    score += (n - apart) * ((2 * below) / differences.length - 1);
  }
  return score;
}
