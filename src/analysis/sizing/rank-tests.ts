import { twoSided } from './normal.ts';

/** A test on ranks: which way, and how likely so much would be by chance. */
export interface RankTest {
  /** Above 0: the later ones are larger. */
  z: number;
  /** Two-sided. */
  p: number;
}

/** Midranks from 1; equal values share the middle of theirs. */
export function ranksOf(values: readonly number[]): number[] {
  const order = values.map((_, at) => at).sort((a, b) => (values[a] ?? 0) - (values[b] ?? 0));
  const ranks = new Array<number>(values.length).fill(0);
  for (let from = 0; from < order.length; ) {
    let to = from + 1;
    while (to < order.length && values[order[to] ?? 0] === values[order[from] ?? 0]) to++;
    for (let at = from; at < to; at++) ranks[order[at] ?? 0] = (from + to + 1) / 2;
    from = to;
  }
  return ranks;
}

/** Mann–Kendall: is there a trend over the order of the values? Corrected for ties (Kendall 1975). */
export function trendTest(values: readonly number[]): RankTest {
  const n = values.length;
  const score = pairScore(ranksOf(values));
  const ties = tieSizes(values).reduce((sum, t) => sum + t * (t - 1) * (2 * t + 5), 0);
  const variance = (n * (n - 1) * (2 * n + 5) - ties) / 18;
  return testOf(score, variance);
}

/** Wilcoxon, Mann and Whitney: are the later values from elsewhere than the earlier ones? */
export function shiftTest(earlier: readonly number[], later: readonly number[]): RankTest {
  const all = [...earlier, ...later];
  const [m, n, total] = [earlier.length, later.length, all.length];
  const sum = ranksOf(all)
    .slice(m)
    .reduce((a, b) => a + b, 0);
  const ties = tieSizes(all).reduce((t, size) => t + size ** 3 - size, 0);
  const variance = ((m * n) / 12) * (total + 1 - ties / Math.max(1, total * (total - 1)));
  return testOf(2 * (sum - (n * (total + 1)) / 2), 4 * variance);
}

/**
 * Pettitt's test (1979): the place where the ranks before and behind differ most. `at`: the first
 * value behind it; `p` is his approximation, which is on the safe side.
 */
export function changePoint(values: readonly number[]): RankTest & { at: number } {
  const n = values.length;
  const ranks = ranksOf(values);
  let sum = 0;
  let most = 0;
  let at = 0;
  ranks.slice(0, -1).forEach((rank, index) => {
    sum += rank;
    const excess = (index + 1) * (n + 1) - 2 * sum;
    if (Math.abs(excess) <= Math.abs(most)) return;
    most = excess;
    at = index + 1;
  });
  const p = Math.min(1, 2 * Math.exp((-6 * most * most) / (n ** 3 + n ** 2)));
  return { z: Math.sign(most), p: n < 2 ? 1 : p, at };
}

// With a continuity correction of one pair.
function testOf(score: number, variance: number): RankTest {
  if (variance <= 0 || score === 0) return { z: 0, p: 1 };
  const z = (Math.sign(score) * Math.max(0, Math.abs(score) - 1)) / Math.sqrt(variance);
  return { z, p: twoSided(z) };
}

/** Pairs that rise less pairs that fall, over a tree of counts: n log n. */
function pairScore(ranks: readonly number[]): number {
  const size = 2 * ranks.length + 2;
  const counts = new Array<number>(size).fill(0);
  let score = 0;
  ranks.forEach((rank, seen) => {
    // Midranks are halves.
    const place = 2 * rank;
    score += countUpTo(counts, place - 1) - (seen - countUpTo(counts, place));
    for (let at = place; at < size; at += at & -at) counts[at] = (counts[at] ?? 0) + 1;
  });
  return score;
}

function countUpTo(counts: readonly number[], place: number): number {
  let sum = 0;
  for (let at = place; at > 0; at -= at & -at) sum += counts[at] ?? 0;
  return sum;
}

function tieSizes(values: readonly number[]): number[] {
  const sizes = new Map<number, number>();
  for (const value of values) sizes.set(value, (sizes.get(value) ?? 0) + 1);
  return [...sizes.values()];
}
