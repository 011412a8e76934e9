import { twoSided } from '../sizing/normal.ts';

/** A demand, on a logarithmic scale; of a censored session it is known to be more than that. */
export interface Demand {
  log: number;
  isCensored: boolean;
}

/** Demands lowest first, those that were measured and those that are only known to be more. */
export interface Demands {
  measured: readonly number[];
  censored: readonly number[];
}

export interface CensoredRankTest {
  /** Pairs of one session each in which the second is known to have needed more, less those with less. */
  score: number;
  z: number;
  /** Two-sided: how likely so much would be by chance. */
  p: number;
}

export function sortedDemands(demands: readonly Demand[]): Demands {
  const sorted = (isCensored: boolean) =>
    demands
      .filter((demand) => demand.isCensored === isCensored)
      .map(({ log }) => log)
      .sort((a, b) => a - b);
  return { measured: sorted(false), censored: sorted(true) };
}

export function countOf({ measured, censored }: Demands): number {
  return measured.length + censored.length;
}

// So many ways to divide the sessions are gone through one by one; with more the sum is normal enough.
const mostDivisions = 5_000;

/**
 * Gehan's generalisation of the test of Wilcoxon, Mann and Whitney (Gehan 1965), with the variance over
 * all divisions of the sessions (Mantel 1967): pairs of which nobody knows who needed more say nothing.
 * With few sessions every division is counted. The logarithms of `b` are lowered by `shift` first.
 */
export function censoredRankTest(a: Demands, b: Demands, shift = 0): CensoredRankTest {
  const ofB = { measured: lowered(b.measured, shift), censored: lowered(b.censored, shift) };
  const scoresA = scoresOf(a, [a, ofB]);
  const scoresB = scoresOf(ofB, [a, ofB]);
  const scores = [...scoresA, ...scoresB];
  const score = sum(scoresB);
  const [m, n, all] = [scoresA.length, scoresB.length, scores.length];
  const squares = scores.reduce((total, one) => total + one * one, 0);
  const variance = all < 2 ? 0 : (m * n * squares) / (all * (all - 1));
  if (variance === 0 || score === 0) return { score, z: 0, p: 1 };
  // With a continuity correction of one pair.
  const z = (Math.sign(score) * Math.max(0, Math.abs(score) - 1)) / Math.sqrt(variance);
  const isFew = divisions(all, n) <= mostDivisions;
  return { score, z, p: isFew ? exactP(scores, n, score) : twoSided(z) };
}

/**
 * With how many sessions on each side something can be proven at all: with fewer, not even where every
 * one of one side needs more than every one of the other.
 */
export function leastToProve(confidence: number): number {
  for (let count = 1; ; count++) {
    const low = Array.from({ length: count }, (_, at) => at);
    const high = low.map((log) => log + count);
    const { p } = censoredRankTest(
      { measured: low, censored: [] },
      { measured: high, censored: [] },
    );
    if (p < 1 - confidence) return count;
  }
}

/** How many of all are known to be less than each, less how many are known to be more. */
function scoresOf(own: Demands, all: readonly Demands[]): number[] {
  const countIn = (values: readonly number[], value: number, side: 'below' | 'upTo') => {
    let low = 0;
    let high = values.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = values[middle] ?? 0;
      if (side === 'below' ? other < value : other <= value) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const measured = own.measured.map((value) =>
    all.reduce((score, other) => {
      const less = countIn(other.measured, value, 'below');
      const more = other.measured.length - countIn(other.measured, value, 'upTo');
      return (
        score + less - more - (other.censored.length - countIn(other.censored, value, 'below'))
      );
    }, 0),
  );
  const censored = own.censored.map((value) =>
    all.reduce((score, other) => score + countIn(other.measured, value, 'upTo'), 0),
  );
  return [...measured, ...censored];
}

/** The share of all divisions into parts of these sizes whose score is as far from 0, or further. */
function exactP(scores: readonly number[], n: number, score: number): number {
  let reached = 0;
  let all = 0;
  const go = (from: number, left: number, total: number): void => {
    if (left === 0) {
      all++;
      if (Math.abs(total) >= Math.abs(score) - 1e-9) reached++;
      return;
    }
    for (let at = from; at <= scores.length - left; at++) {
      go(at + 1, left - 1, total + (scores[at] ?? 0));
    }
  };
  go(0, n, 0);
  return reached / all;
}

function divisions(all: number, part: number): number {
  let count = 1;
  const few = Math.min(part, all - part);
  for (let at = 1; at <= few && count <= mostDivisions; at++) count *= (all - few + at) / at;
  return count;
}

function lowered(values: readonly number[], shift: number): readonly number[] {
  return shift === 0 ? values : values.map((value) => value - shift);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
