export interface GrowthPoint {
  timeUnixMs: number;
  bytes: number;
}

const shortestMs = 60_000;
const gridPoints = 60;

/**
 * How fast a figure grows, in bytes a minute: the median of the slopes between every two of 60 evenly
 * spaced points (Theil 1950, Sen 1968), which up to 29 % of outliers do not move. Each point holds until
 * the next, the last until `endUnixMs`. Null for less than a minute: a page that loads is no leak.
 */
export function growthBytesPerMinute(
  points: readonly GrowthPoint[],
  endUnixMs: number,
): number | null {
  const first = points[0];
  if (first === undefined || endUnixMs - first.timeUnixMs < shortestMs) return null;
  const slope = medianSlope(onGrid(points, first.timeUnixMs, endUnixMs));
  return Math.round(slope * 60_000);
}

function onGrid(
  points: readonly GrowthPoint[],
  fromUnixMs: number,
  toUnixMs: number,
): GrowthPoint[] {
  const grid: GrowthPoint[] = [];
  let at = 0;
  for (let step = 0; step < gridPoints; step++) {
    const timeUnixMs = fromUnixMs + ((toUnixMs - fromUnixMs) * step) / (gridPoints - 1);
    while ((points[at + 1]?.timeUnixMs ?? Number.POSITIVE_INFINITY) <= timeUnixMs) at++;
    const bytes = points[at]?.bytes;
    if (bytes !== undefined) grid.push({ timeUnixMs, bytes });
  }
  return grid;
}

function medianSlope(points: readonly GrowthPoint[]): number {
  const slopes: number[] = [];
  points.forEach((from, index) => {
    for (const to of points.slice(index + 1)) {
      slopes.push((to.bytes - from.bytes) / (to.timeUnixMs - from.timeUnixMs));
    }
  });
  slopes.sort((a, b) => a - b);
  const middle = Math.floor(slopes.length / 2);
  const upper = slopes[middle] ?? 0;
  return slopes.length % 2 === 1 ? upper : (upper + (slopes[middle - 1] ?? upper)) / 2;
}
