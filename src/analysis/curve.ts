import { gapBetween } from '../model/gap.ts';
import { larger } from '../model/known-extremes.ts';
import { sessionLimit, type Tick, usedBytes, workingSetBytes } from '../model/session-memory.ts';
import type { TickTracker } from './tick-tracker.ts';

/**
 * The memory of the session over time, coarse enough to be drawn with letters. Of each of 60 equal
 * parts of the time the most that was measured in it; where no sample is in it, what the one before
 * still stood for, as far as no gap is between; else null.
 */
export interface CurveReport {
  fromUnixMs: number;
  toUnixMs: number;
  /** Of the last sample. */
  limitBytes: number;
  workingSetBytes: (number | null)[];
  /** The limit less what was available. */
  usedBytes: (number | null)[];
}

/** A sample, or the highest of several that follow each other. */
interface Point {
  timeUnixMs: number;
  workingSetBytes: number;
  usedBytes: number | null;
  /** What it stands for: from its first sample to the one after its last, or to a gap. */
  fromUnixMs: number;
  untilUnixMs: number;
}

const curveColumns = 60;
const mostPoints = 16 * curveColumns;

/** Null for less than two samples, and where the wall clock was set back. */
export function trackCurve(): TickTracker<CurveReport | null> {
  let points: Point[] = [];
  let pending: Point[] = [];
  let stride = 1;
  let limitBytes = 0;
  let last: { point: Point; tick: Tick } | null = null;
  return {
    add(tick) {
      const bytes = workingSetBytes(tick);
      if (bytes === null) return;
      limitBytes = sessionLimit(tick).bytes;
      const { timeUnixMs } = tick;
      if (last !== null && gapBetween(last.tick, tick, tick.intervalMs) === null) {
        last.point.untilUnixMs = timeUnixMs;
      }
      if (pending.length === stride) {
        points.push(pending.reduce(merged));
        pending = [];
        if (points.length >= mostPoints) {
          points = pairsOf(points).map((pair) => pair.reduce(merged));
          stride *= 2;
        }
      }
      const point: Point = {
        timeUnixMs,
        workingSetBytes: bytes,
        usedBytes: usedBytes(tick),
        fromUnixMs: timeUnixMs,
        untilUnixMs: timeUnixMs + tick.intervalMs,
      };
      pending.push(point);
      last = { point, tick };
    },
    result: () => curveOf([...points, ...pending], limitBytes),
  };
}

function curveOf(points: readonly Point[], limitBytes: number): CurveReport | null {
  const fromUnixMs = points[0]?.timeUnixMs ?? 0;
  const toUnixMs = points.at(-1)?.timeUnixMs ?? 0;
  if (toUnixMs <= fromUnixMs) return null;
  const columnOf = (unixMs: number) => {
    const column = ((unixMs - fromUnixMs) * curveColumns) / (toUnixMs - fromUnixMs);
    return Math.min(curveColumns - 1, Math.floor(column));
  };
  const measured: (Pair | null)[] = new Array(curveColumns).fill(null);
  for (const point of points) raise(measured, columnOf(point.timeUnixMs), point);
  const shown = [...measured];
  for (const point of points) {
    // What ends where a part begins is not in that part.
    const end = columnOf(point.untilUnixMs - 1);
    for (let column = Math.max(0, columnOf(point.fromUnixMs)); column <= end; column++) {
      if (measured[column] === null) raise(shown, column, point);
    }
  }
  return {
    fromUnixMs,
    toUnixMs,
    limitBytes,
    workingSetBytes: shown.map((pair) => pair?.workingSetBytes ?? null),
    usedBytes: shown.map((pair) => pair?.usedBytes ?? null),
  };
}

type Pair = Pick<Point, 'workingSetBytes' | 'usedBytes'>;

function raise(columns: (Pair | null)[], column: number, point: Pair): void {
  if (column < 0) return;
  const before = columns[column] ?? null;
  columns[column] = before === null ? point : highest(before, point);
}

function highest(one: Pair, other: Pair): Pair {
  return {
    workingSetBytes: Math.max(one.workingSetBytes, other.workingSetBytes),
    usedBytes: larger(one.usedBytes, other.usedBytes),
  };
}

/** Over a gap it stands for the time of the higher one alone. */
function merged(before: Point, after: Point): Point {
  const higher = after.workingSetBytes > before.workingSetBytes ? after : before;
  const isWhole = before.untilUnixMs === after.fromUnixMs;
  return {
    ...higher,
    ...highest(before, after),
    ...(isWhole ? { fromUnixMs: before.fromUnixMs, untilUnixMs: after.untilUnixMs } : {}),
  };
}

function pairsOf(points: readonly Point[]): Point[][] {
  return points.flatMap((_, at) => (at % 2 === 0 ? [points.slice(at, at + 2)] : []));
}
