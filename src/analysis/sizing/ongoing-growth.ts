import type { Gap } from '../../model/event.ts';
import type { OngoingGrowth } from '../../model/ongoing-growth.ts';
import type { Recording, SeriesWindow } from '../../model/recording.ts';
import { missingMs } from '../coverage.ts';
import { endGrowth, tailReachMs, trackTail, wholeReachMs } from '../end-growth.ts';
import { type Growth, type GrowthPoint, growthOf, paceOfGrid, shortestMs } from '../growth.ts';

/** What of a recording tells of growth, each asked for only where it is needed. */
export interface GrowthSources {
  recording: Recording;
  limitBytes: number;
  /** Memory from before is not the session's. */
  sinceUnixMs: number;
  /** Of its working set. */
  windows: readonly SeriesWindow[];
  gaps: () => readonly Gap[];
}

const none: OngoingGrowth = { bytesPerMinute: 0, aheadMs: 0 };
// Two for each third.
const leastPoints = 6;
const mostPoints = 60;
const tailMs = 61_000;

/**
 * Whether a session still grew when its recording ended: the rule of the report, on the means of its
 * minutes rather than on samples (of a short one on 21 of them), and on the working set, by which its
 * demand is measured. Null: not known, as of less than a minute.
 */
export function ongoingGrowth(all: GrowthSources): OngoingGrowth | null {
  const windows = all.windows.filter(({ startUnixMs }) => startUnixMs >= all.sinceUnixMs);
  const sources = { ...all, windows };
  const whole = wholeGrowth(sources);
  if (whole?.growth.isLeak === true) {
    const { growth, lengthMs } = whole;
    return { bytesPerMinute: growth.bytesPerMinute, aheadMs: wholeReachMs(lengthMs) };
  }
  return tailGrowth(sources) ?? (whole === null ? null : none);
}

function wholeGrowth({
  recording,
  sinceUnixMs,
  windows,
  gaps,
}: GrowthSources): { growth: Growth; lengthMs: number } | null {
  const points =
    windows.length < leastPoints
      ? recording.workingSetSamples().filter(({ timeUnixMs }) => timeUnixMs >= sinceUnixMs)
      : windows.map(pointOf);
  const last = points.at(-1);
  const lengthMs = (last?.timeUnixMs ?? 0) - (points[0]?.timeUnixMs ?? 0);
  if (last === undefined || lengthMs < shortestMs || points.length < leastPoints) return null;
  const growth =
    points.length > mostPoints ? growthOf(points, last.timeUnixMs) : paceOfGrid(points);
  if (growth === null || missingIn(gaps()) * 10 > lengthMs) return null;
  return { growth, lengthMs };
}

function pointOf({ startUnixMs, mean }: SeriesWindow): GrowthPoint {
  return { timeUnixMs: startUnixMs, bytes: mean };
}

function missingIn(gaps: readonly Gap[]): number {
  return gaps.reduce((sum, gap) => sum + missingMs(gap), 0);
}

/** Null where it did not run into its limit; only the end of what may have is read tick by tick. */
function tailGrowth({
  recording,
  sinceUnixMs,
  windows,
  limitBytes,
}: GrowthSources): OngoingGrowth | null {
  if (!mayRunIntoLimit(windows.slice(-2), limitBytes)) return null;
  const last = recording.lastTick()?.timeUnixMs ?? 0;
  const browsers = recording.browserProcesses().filter(({ role }) => role === 'browser');
  const fromUnixMs = Math.max(sinceUnixMs, last - tailMs);
  const isOver = ({ endedUnixMs }: { endedUnixMs: number | null }) =>
    endedUnixMs !== null && endedUnixMs < fromUnixMs;
  if (browsers.length > 0 && browsers.every(isOver)) return null;
  const begins = browsers
    .map(({ firstUnixMs }) => firstUnixMs)
    .filter((firstUnixMs) => firstUnixMs <= last);
  const tail = trackTail();
  for (const tick of recording.ticks({ fromUnixMs })) tail.add(tick);
  const startedUnixMs = Math.max(sinceUnixMs, recording.firstTick()?.timeUnixMs ?? 0, ...begins);
  const found = endGrowth({ tail: tail.result(), whole: null, startedUnixMs });
  if (found === null) return null;
  return { bytesPerMinute: found.bytesPerMinute, aheadMs: tailReachMs(found.lengthMs) };
}

/**
 * What runs into its limit within twice a stretch grew in it by half of what is left. That is of memory
 * that cannot be given back, and this of the working set, so half of that is enough to look.
 */
function mayRunIntoLimit(lastMinutes: readonly SeriesWindow[], limitBytes: number): boolean {
  const most = Math.max(...lastMinutes.map(({ max }) => max));
  const least = Math.min(...lastMinutes.map(({ min }) => min));
  return (most - least) * 4 >= limitBytes - most;
}
