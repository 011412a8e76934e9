import { normalQuantile } from './normal.ts';

/**
 * Demands of a growing workload, each raised to what it would be at the end of the history if growth
 * was even: by the slope of Theil and Sen, at the upper end of its one-sided confidence interval (Sen
 * 1968). Nothing proves that growth was even, or that it ends here.
 */
export function raisedToNow(demands: readonly number[], confidence: number): number[] {
  const n = demands.length;
  const logs = demands.map((bytes) => Math.log(Math.max(1, bytes)));
  const slopes: number[] = [];
  // Of long histories every so many is enough for a slope.
  const step = Math.ceil(n / 300);
  for (let a = 0; a < n; a += step) {
    for (let b = a + step; b < n; b += step) {
      slopes.push(((logs[b] ?? 0) - (logs[a] ?? 0)) / (b - a));
    }
  }
  slopes.sort((a, b) => a - b);
  const used = Math.ceil(n / step);
  const spread = normalQuantile(confidence) * Math.sqrt((used * (used - 1) * (2 * used + 5)) / 18);
  const at = Math.min(slopes.length - 1, Math.ceil((slopes.length + spread) / 2));
  const slope = Math.max(0, slopes[at] ?? 0);
  return demands.map((bytes, index) => bytes * Math.exp(slope * (n - 1 - index)));
}
