import { gapBetween } from '../../model/gap.ts';
import { type Timeline, type TimelineFigure, timelineFigures } from '../../model/timeline.ts';

/** What one column of a picture says. Stall times are cumulative, as of its last sample. */
export interface Bucket {
  firstUnixMs: number;
  lastUnixMs: number;
  firstMonotonicMs: number | null;
  lastMonotonicMs: number | null;
  limitBytes: number | null;
  workingSetMinBytes: number | null;
  workingSetMaxBytes: number | null;
  availableMinBytes: number | null;
  availableMaxBytes: number | null;
  memorySomeMs: number | null;
  memoryFullMs: number | null;
  cpuSomeMs: number | null;
  ioFullMs: number | null;
}

/** Two neighbours; whether the recording knows nothing of the time between them. */
export type HoleRule = (before: Bucket, after: Bucket) => boolean;

/** The rule of ticks: what the two clocks say. */
export function isClockGap(intervalMs: number): HoleRule {
  return (before, after) => {
    const { lastMonotonicMs } = before;
    const { firstMonotonicMs } = after;
    if (lastMonotonicMs === null || firstMonotonicMs === null) return true;
    const from = { timeUnixMs: before.lastUnixMs, monotonicMs: lastMonotonicMs };
    const to = { timeUnixMs: after.firstUnixMs, monotonicMs: firstMonotonicMs };
    return gapBetween(from, to, intervalMs) !== null;
  };
}

/** Points out of columns, with a point of nulls in each hole and shares of stall time. */
export class TimelineBuilder {
  readonly #timeline: Timeline = {
    timesUnixMs: [],
    figures: Object.fromEntries(
      timelineFigures.map((figure) => [figure, [] as (number | null)[]]),
    ) as Timeline['figures'],
  };
  #before: Bucket | null = null;

  add(bucket: Bucket, isHole: HoleRule): void {
    let before = this.#before;
    if (before !== null && isHole(before, bucket)) {
      this.#push((before.lastUnixMs + bucket.firstUnixMs) / 2, () => null);
      before = null;
    }
    this.#push(bucket.firstUnixMs, (figure) => figureOf(figure, bucket, before));
    this.#before = bucket;
  }

  result(): Timeline {
    return this.#timeline;
  }

  #push(timeUnixMs: number, of: (figure: TimelineFigure) => number | null): void {
    this.#timeline.timesUnixMs.push(timeUnixMs);
    for (const figure of timelineFigures) this.#timeline.figures[figure].push(of(figure));
  }
}

function figureOf(figure: TimelineFigure, bucket: Bucket, before: Bucket | null): number | null {
  switch (figure) {
    case 'memorySomeRatio':
      return stallRatio('memorySomeMs', bucket, before);
    case 'memoryFullRatio':
      return stallRatio('memoryFullMs', bucket, before);
    case 'cpuSomeRatio':
      return stallRatio('cpuSomeMs', bucket, before);
    case 'ioFullRatio':
      return stallRatio('ioFullMs', bucket, before);
    default:
      return bucket[figure];
  }
}

function stallRatio(
  counter: 'memorySomeMs' | 'memoryFullMs' | 'cpuSomeMs' | 'ioFullMs',
  bucket: Bucket,
  before: Bucket | null,
): number | null {
  const from = before?.[counter] ?? null;
  const to = bucket[counter];
  const fromMs = before?.lastMonotonicMs ?? null;
  const toMs = bucket.lastMonotonicMs;
  if (from === null || to === null || fromMs === null || toMs === null) return null;
  if (toMs <= fromMs || to < from) return null;
  // The two clocks are read one after the other.
  return Math.min(1, (to - from) / (toMs - fromMs));
}
