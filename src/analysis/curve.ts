import { sessionLimit, workingSetBytes } from '../model/session-memory.ts';
import type { TickTracker } from './tick-tracker.ts';

/** The working set of the session over time, coarse enough to be drawn with letters. */
export interface CurveReport {
  fromUnixMs: number;
  toUnixMs: number;
  /** Of the last sample. */
  limitBytes: number;
  /** The most within each of at most 60 equal parts of the time; null: no sample is in it. */
  usedBytes: (number | null)[];
}

interface Point {
  timeUnixMs: number;
  bytes: number;
}

const curveColumns = 60;
const mostPoints = 16 * curveColumns;

/** Null for less than two samples, and where the wall clock was set back. */
export function trackCurve(): TickTracker<CurveReport | null> {
  let points: Point[] = [];
  let pending: Point[] = [];
  let stride = 1;
  let limitBytes = 0;
  let longestIntervalMs = 0;
  return {
    add(tick) {
      const bytes = workingSetBytes(tick);
      if (bytes === null) return;
      limitBytes = sessionLimit(tick).bytes;
      longestIntervalMs = Math.max(longestIntervalMs, tick.intervalMs);
      pending.push({ timeUnixMs: tick.timeUnixMs, bytes });
      if (pending.length < stride) return;
      points.push(highest(pending));
      pending = [];
      if (points.length < mostPoints) return;
      points = pairsOf(points).map(highest);
      stride *= 2;
    },
    result: () => curveOf([...points, ...pending], { limitBytes, longestIntervalMs }),
  };
}

function curveOf(
  points: readonly Point[],
  { limitBytes, longestIntervalMs }: { limitBytes: number; longestIntervalMs: number },
): CurveReport | null {
  const fromUnixMs = points[0]?.timeUnixMs ?? 0;
  const toUnixMs = points.at(-1)?.timeUnixMs ?? 0;
  if (toUnixMs <= fromUnixMs) return null;
  // Two samples to a part, also where they are the fewest: one that came late leaves no hole.
  const inPairs = Math.min(points.length, (toUnixMs - fromUnixMs) / longestIntervalMs + 1) / 2;
  const columns = Math.min(curveColumns, Math.max(1, Math.floor(inPairs)));
  const usedBytes: (number | null)[] = new Array(columns).fill(null);
  for (const { timeUnixMs, bytes } of points) {
    const part = (timeUnixMs - fromUnixMs) / (toUnixMs - fromUnixMs);
    const column = Math.min(columns - 1, Math.floor(part * columns));
    if (column >= 0) usedBytes[column] = Math.max(bytes, usedBytes[column] ?? 0);
  }
  return { fromUnixMs, toUnixMs, limitBytes, usedBytes };
}

function highest(points: readonly Point[]): Point {
  return points.reduce((high, point) => (point.bytes > high.bytes ? point : high));
}

function pairsOf(points: readonly Point[]): Point[][] {
  return points.flatMap((_, at) => (at % 2 === 0 ? [points.slice(at, at + 2)] : []));
}
