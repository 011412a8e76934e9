export interface GrowthPoint {
  timeUnixMs: number;
  bytes: number;
}

interface GridPoint extends GrowthPoint {
  /** The lowest since the point before, where that was between two points. */
  lowestBytes?: number;
}

/** How fast a figure grows, and how sure that is. Bytes a minute. */
export interface Growth {
  bytesPerMinute: number;
  /** 95 % confidence interval of the slope by Kendall's statistic, were the points independent. */
  lowBytesPerMinute: number;
  highBytesPerMinute: number;
  /** It grew all the time: {@link growthOf} says what that takes. */
  isLeak: boolean;
}

export const shortestMs = 60_000;
const gridPoints = 60;
const parts = 3;
// A page that is used fills its caches; below this nobody looks for a leak.
const leastLeakBytes = 8 * 2 ** 20;
const leastLeakRatio = 0.1;
const steadyRatio = 0.25;

/**
 * How fast a figure grows: the median of the slopes between every two of 60 evenly spaced points
 * (Theil 1950, Sen 1968), which up to 29 % of outliers do not move. Each point holds until the next,
 * the last until `endUnixMs`. Null for less than a minute: a page that loads is no leak.
 *
 * Neighbouring points of a process are not independent, so the interval alone would call much noise
 * a leak. One is named if the interval is above zero, each third of the time grew by itself (so that
 * one step is none), the lowest of each third is above that of the third before (so that what was given
 * back is none), both at a quarter of the pace or more, and it came to 8 MiB and a tenth in all.
 */
export function growthOf(points: readonly GrowthPoint[], endUnixMs: number): Growth | null {
  const first = points[0];
  if (first === undefined || endUnixMs - first.timeUnixMs < shortestMs) return null;
  return paceOf(points, endUnixMs);
}

/** Likewise over any length: for who knows that nothing is only starting there. */
export function paceOf(points: readonly GrowthPoint[], endUnixMs: number): Growth {
  const first = points[0] ?? { timeUnixMs: endUnixMs, bytes: 0 };
  return paceOfGrid(onGrid(points, first.timeUnixMs, endUnixMs));
}

/** Likewise of points, at least six, that are as evenly spaced as can be. */
export function paceOfGrid(grid: readonly GridPoint[]): Growth {
  const slopes = slopesOf(grid);
  const [low, high] = interval(slopes, grid.length);
  const slope = median(slopes);
  const first = grid[0] ?? { timeUnixMs: 0, bytes: 0 };
  const grownBytes = slope * ((grid.at(-1) ?? first).timeUnixMs - first.timeUnixMs);
  return {
    bytesPerMinute: perMinute(slope),
    lowBytesPerMinute: perMinute(low),
    highBytesPerMinute: perMinute(high),
    isLeak:
      low > 0 &&
      grownBytes >= Math.max(leastLeakBytes, leastLeakRatio * first.bytes) &&
      isSteady(grid, slope),
  };
}

function perMinute(slope: number): number {
  return Math.round(slope * 60_000);
}

function isSteady(grid: readonly GridPoint[], slope: number): boolean {
  const size = grid.length / parts;
  const leastSlope = steadyRatio * slope;
  return Array.from({ length: parts }, (_, part) =>
    grid.slice(part * size, (part + 1) * size),
  ).every(
    (third, part, thirds) =>
      median(slopesOf(third)) >= leastSlope && rise(third, thirds[part - 1]) >= leastSlope,
  );
}

/** From the lowest of a third to that of the next, per ms: a saw may grow in each, and fall between them. */
function rise(third: readonly GridPoint[], before: readonly GridPoint[] | undefined): number {
  const [start, startBefore] = [third[0], before?.[0]];
  if (start === undefined || startBefore === undefined || before === undefined) {
    return Number.POSITIVE_INFINITY;
  }
  return (lowest(third) - lowest(before)) / (start.timeUnixMs - startBefore.timeUnixMs);
}

function lowest(points: readonly GridPoint[]): number {
  return Math.min(...points.map(({ bytes, lowestBytes }) => lowestBytes ?? bytes));
}

function onGrid(points: readonly GrowthPoint[], fromUnixMs: number, toUnixMs: number): GridPoint[] {
  const grid: GridPoint[] = [];
  let at = 0;
  for (let step = 0; step < gridPoints; step++) {
    const timeUnixMs = fromUnixMs + ((toUnixMs - fromUnixMs) * step) / (gridPoints - 1);
    let lowestBytes = points[at]?.bytes ?? 0;
    while ((points[at + 1]?.timeUnixMs ?? Number.POSITIVE_INFINITY) <= timeUnixMs) {
      at++;
      lowestBytes = Math.min(lowestBytes, points[at]?.bytes ?? lowestBytes);
    }
    const bytes = points[at]?.bytes;
    if (bytes !== undefined) grid.push({ timeUnixMs, bytes, lowestBytes });
  }
  return grid;
}

/** Ascending, between every two points. */
function slopesOf(points: readonly GrowthPoint[]): Float64Array {
  const slopes = new Float64Array((points.length * (points.length - 1)) / 2);
  let count = 0;
  for (const [index, from] of points.entries()) {
    for (let at = index + 1; at < points.length; at++) {
      const to = points[at] ?? from;
      slopes[count++] = (to.bytes - from.bytes) / (to.timeUnixMs - from.timeUnixMs);
    }
  }
  return slopes.sort();
}

function median(ascending: Float64Array): number {
  const middle = Math.floor(ascending.length / 2);
  const upper = ascending[middle] ?? 0;
  return ascending.length % 2 === 1 ? upper : (upper + (ascending[middle - 1] ?? upper)) / 2;
}

// Sen 1968: the ranks that Kendall's S, of variance n(n−1)(2n+5)/18, leaves to either side.
function interval(ascending: Float64Array, count: number): [number, number] {
  const spread = 1.96 * Math.sqrt((count * (count - 1) * (2 * count + 5)) / 18);
  const below = Math.floor((ascending.length - spread) / 2);
  const last = ascending.length - 1;
  const low = ascending[Math.max(0, below)] ?? 0;
  const high = ascending[Math.min(last, last - below)] ?? 0;
  return [low, high];
}
