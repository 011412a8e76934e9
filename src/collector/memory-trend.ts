/** Available memory at a moment. */
export interface MemoryPoint {
  monotonicMs: number;
  availableBytes: number;
  /** Of which so much is available. */
  limitBytes: number;
}

export interface TrendWindow {
  windowMs: number;
  /** What it takes at least. */
  leastMs: number;
  /** Points that are looked at even when they are older. */
  leastPoints: number;
}

// Measured on leaks and on benign runs: 8 to 24 s ahead of a kill, and no false alarm.
const tenSeconds: TrendWindow = { windowMs: 10_000, leastMs: 4_000, leastPoints: 1 };

/** The straight line through available memory of the last ten seconds, or of another window. */
export class MemoryTrend {
  readonly #window: TrendWindow;
  #points: MemoryPoint[] = [];

  constructor(window = tenSeconds) {
    this.#window = window;
  }

  add(point: MemoryPoint): void {
    const { windowMs, leastPoints } = this.#window;
    const oldestMs = point.monotonicMs - windowMs;
    // Through what was left of another limit there is no line.
    const isSameLimit = this.#points.at(-1)?.limitBytes === point.limitBytes;
    const points = isSameLimit ? [...this.#points, point] : [point];
    this.#points = points.filter(
      ({ monotonicMs }, index) => monotonicMs >= oldestMs || index >= points.length - leastPoints,
    );
  }

  /** When it reaches zero; infinite when it does not fall, and while there is too little of it. */
  secondsToGo(): number {
    const first = this.#points[0];
    const last = this.#points.at(-1);
    if (first === undefined || last === undefined) return Number.POSITIVE_INFINITY;
    if (last.monotonicMs - first.monotonicMs < this.#window.leastMs)
      return Number.POSITIVE_INFINITY;
    const slope = bytesPerMs(this.#points);
    return slope >= 0 ? Number.POSITIVE_INFINITY : last.availableBytes / -slope / 1000;
  }
}

// Least squares.
function bytesPerMs(points: readonly MemoryPoint[]): number {
  const count = points.length;
  let sumMs = 0;
  let sumBytes = 0;
  for (const { monotonicMs, availableBytes } of points) {
    sumMs += monotonicMs;
    sumBytes += availableBytes;
  }
  let covariance = 0;
  let variance = 0;
  for (const { monotonicMs, availableBytes } of points) {
    const ms = monotonicMs - sumMs / count;
    covariance += ms * (availableBytes - sumBytes / count);
    variance += ms * ms;
  }
  return variance === 0 ? 0 : covariance / variance;
}
