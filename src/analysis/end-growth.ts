import { sessionLimit, type Tick } from '../model/session-memory.ts';
import type { Growth, GrowthPoint } from './growth.ts';
import { paceOf } from './growth.ts';
import type { TickTracker } from './tick-tracker.ts';
import { unusedBytes } from './unused-memory.ts';

/** Memory that cannot be given back and that still grew, steadily, up to the last sample. */
export interface EndGrowth {
  /** For how long it grew so: all of the recording, or its last 15, 30 or 60 s. */
  lengthMs: number;
  bytesPerMinute: number;
  /** From then on, at that pace. */
  timeToLimitMs: number;
}

/** The last minute, as far as a browser was there. */
export interface Tail {
  points: readonly (GrowthPoint & { unusedBytes: number; limitBytes: number })[];
  /** Of the last sample, with a browser or without. */
  lastUnixMs: number;
}

export interface EndGrowthContext {
  tail: Tail;
  /** Over the whole, with the time to the limit; null where it does not leak. */
  whole: { growth: Growth; lengthMs: number; timeToLimitMs: number } | null;
  /** When the latest browser was first seen, else the first sample. */
  startedUnixMs: number;
}

const tailLengthsMs = [60_000, 30_000, 15_000];
const longestMs = 60_000;
// What grew for a stretch is only taken to go on for as long as that once or twice more.
const tailsAhead = 2;
// What grew all the time goes on: of an hour that is said for a day, and no session is longer.
const wholesAhead = 24;
const longestAheadMs = 86_400_000;
// As for alerts: to start looks like running out, unless half is gone already.
const startMs = 15_000;
// A browser that ends takes its memory with it some samples before the end.
const endingMs = 10_000;

/** How far from its end on what grew so in a whole recording is taken to go on. */
export function wholeReachMs(lengthMs: number): number {
  return Math.min(longestAheadMs, wholesAhead * lengthMs);
}

/** Likewise in its last stretch. */
export function tailReachMs(lengthMs: number): number {
  return tailsAhead * lengthMs;
}

export function trackTail(): TickTracker<Tail, Tick> {
  let points: (Tail['points'][number] & { monotonicMs: number })[] = [];
  let hadBrowser = false;
  let lastUnixMs = 0;
  return {
    add(tick) {
      lastUnixMs = tick.timeUnixMs;
      const unused = unusedBytes(tick);
      const hasBrowser = tick.browser.processCount > 0;
      if (unused === null || (hadBrowser && !hasBrowser)) return;
      if (hasBrowser && !hadBrowser) points = [];
      hadBrowser ||= hasBrowser;
      const { monotonicMs, timeUnixMs } = tick;
      if (monotonicMs < (points.at(-1)?.monotonicMs ?? 0)) points = [];
      const limitBytes = sessionLimit(tick).bytes;
      const bytes = limitBytes - unused;
      points.push({ monotonicMs, timeUnixMs, bytes, unusedBytes: unused, limitBytes });
      while (monotonicMs - (points[0]?.monotonicMs ?? monotonicMs) > longestMs) points.shift();
    },
    beginAnew() {
      points = [];
    },
    result: () => ({ points, lastUnixMs }),
  };
}

/** Null where it did not grow up to its end, or so slowly that the limit is far away. */
export function endGrowth(context: EndGrowthContext): EndGrowth | null {
  return tailGrowth(context) ?? wholeGrowth(context);
}

function tailGrowth({ tail, startedUnixMs }: EndGrowthContext): EndGrowth | null {
  const last = tail.points.at(-1);
  if (last === undefined || tail.lastUnixMs - last.timeUnixMs > endingMs) return null;
  const isHalfGone = last.unusedBytes * 2 < last.limitBytes;
  const fromUnixMs = isHalfGone ? startedUnixMs : startedUnixMs + startMs;
  for (const lengthMs of tailLengthsMs) {
    const points = tail.points.filter(({ timeUnixMs }) => last.timeUnixMs - timeUnixMs <= lengthMs);
    const first = points[0];
    // A sample that came late leaves a stretch that is a little shorter.
    if (first === undefined || last.timeUnixMs - first.timeUnixMs < 0.9 * lengthMs) continue;
    if (first.timeUnixMs < fromUnixMs) continue;
    const pace = paceOf(points, last.timeUnixMs);
    if (!pace.isLeak) continue;
    const timeToLimitMs = Math.round((last.unusedBytes / pace.bytesPerMinute) * 60_000);
    if (timeToLimitMs > tailReachMs(lengthMs)) continue;
    return { lengthMs, bytesPerMinute: pace.bytesPerMinute, timeToLimitMs };
  }
  return null;
}

function wholeGrowth({ whole }: EndGrowthContext): EndGrowth | null {
  if (whole === null) return null;
  const { growth, lengthMs, timeToLimitMs } = whole;
  if (timeToLimitMs > wholeReachMs(lengthMs)) return null;
  return { lengthMs, bytesPerMinute: growth.bytesPerMinute, timeToLimitMs };
}
