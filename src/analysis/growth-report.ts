import type { ProcessRole } from '../model/process-role.ts';
import type { ProcessRecord } from '../model/recording.ts';
import { sessionLimit, type Tick } from '../model/session-memory.ts';
import type { GapReport } from './coverage.ts';
import { type EndGrowth, endGrowth, type Tail } from './end-growth.ts';
import { type Growth, type GrowthPoint, growthOf } from './growth.ts';
import type { ProcessHistory } from './process-histories.ts';
import { roleGrowth } from './role-growth.ts';
import type { StallReport } from './stall.ts';
import type { TickTracker } from './tick-tracker.ts';
import { unusedBytes } from './unused-memory.ts';

/** What grew: the session, and each role of its browser; processes have their own. */
export interface GrowthReport {
  /** Of all memory that cannot be given back; null: less than a minute, or not known. */
  session: Growth | null;
  /** From the last sample on, at the pace of the session; null where it does not leak, or stood still. */
  timeToLimitMs: number | null;
  roles: { role: ProcessRole; growth: Growth }[];
  /** Null where it did not grow up to the last sample, or the limit was far away. */
  atEnd: EndGrowth | null;
  /** The most that it grew within 5 s. */
  largestStep: LargestStep | null;
}

export interface LargestStep {
  fromUnixMs: number;
  toUnixMs: number;
  bytes: number;
  /** Processes of the browser that were first seen then. */
  started: { pid: number; role: ProcessRole }[];
}

export interface SessionGrowth {
  points: readonly GrowthPoint[];
  lastUnixMs: number;
  unusedBytes: number | null;
  largestStep: Omit<LargestStep, 'started'> | null;
}

export interface GrowthContext {
  session: SessionGrowth;
  tail: Tail;
  records: readonly ProcessRecord[];
  histories: ReadonlyMap<number, ProcessHistory>;
  roles: readonly ProcessRole[];
  gaps: readonly GapReport[];
  /** Of standing still at the limit the first: in them and after them nothing can grow. */
  stalls: readonly Pick<StallReport, 'fromUnixMs'>[];
}

const mostPoints = 600;
const stepMs = 5_000;
const leastStepBytes = 16 * 2 ** 20;
// A process is first seen up to a sample after it began to grow.
const slackMs = 1_000;

/** Follows the memory of the session that cannot be given back, in at most 600 points. */
export function trackSessionGrowth(): TickTracker<SessionGrowth> {
  const growth = { points: [] as GrowthPoint[], lastUnixMs: 0, unusedBytes: null as number | null };
  const steps = trackSteps();
  let count = 0;
  let stride = 1;
  return {
    add(tick) {
      const unused = unusedBytes(tick);
      if (unused === null) return;
      const point = { timeUnixMs: tick.timeUnixMs, bytes: sessionLimit(tick).bytes - unused };
      growth.lastUnixMs = tick.timeUnixMs;
      growth.unusedBytes = unused;
      steps.add({ ...point, monotonicMs: tick.monotonicMs });
      if (count++ % stride === 0) growth.points.push(point);
      if (growth.points.length < mostPoints) return;
      growth.points = growth.points.filter((_, at) => at % 2 === 0);
      stride *= 2;
    },
    beginAnew: () => steps.beginAnew(),
    result: () => ({ ...growth, largestStep: steps.largest() }),
  };
}

export function growthReport(context: GrowthContext): GrowthReport {
  const { session, records, histories } = context;
  const untilUnixMs = Math.min(
    context.stalls[0]?.fromUnixMs ?? session.lastUnixMs,
    session.lastUnixMs,
  );
  const isKnown = !isBroken(context, untilUnixMs);
  const growth = isKnown ? growthOf(session.points, untilUnixMs) : null;
  const roles = isKnown ? context.roles : [];
  const members = records.map((record) => ({
    role: record.role,
    browserPid: record.browserPid,
    lastUnixMs: Math.min(record.lastUnixMs, untilUnixMs),
    history: histories.get(record.process),
  }));
  // What grew before a stall does not grow on from the last sample.
  const grows = untilUnixMs < session.lastUnixMs ? null : growth;
  const leftMs = timeToLimitMs(grows, session.unusedBytes);
  return {
    session: growth,
    timeToLimitMs: leftMs,
    atEnd: endGrowth({
      tail: context.tail,
      whole:
        growth === null || leftMs === null
          ? null
          : { growth, lengthMs: lengthOf(session, untilUnixMs), timeToLimitMs: leftMs },
      startedUnixMs: latestBrowserUnixMs(context),
    }),
    roles: roles.flatMap((role) => {
      const found = roleGrowth(role, members);
      return found === null ? [] : [{ role, growth: found }];
    }),
    largestStep: largestStep(session.largestStep, records),
  };
}

// As for a process: a tenth of the time of which nothing is known is too much.
function isBroken({ session, gaps }: GrowthContext, untilUnixMs: number): boolean {
  const missingMs = gaps
    .filter(({ fromUnixMs }) => fromUnixMs < untilUnixMs)
    .reduce((sum, gap) => sum + gap.missingMs, 0);
  return missingMs * 10 > lengthOf(session, untilUnixMs);
}

function lengthOf({ points }: SessionGrowth, untilUnixMs: number): number {
  return untilUnixMs - (points[0]?.timeUnixMs ?? untilUnixMs);
}

/** When the last browser began that the session has had; the begin where it had none. */
function latestBrowserUnixMs({ records, session }: GrowthContext): number {
  const begins = records
    .filter(({ browserPid, role }) => browserPid !== null && role === 'browser')
    .map(({ firstUnixMs }) => firstUnixMs)
    .filter((firstUnixMs) => firstUnixMs <= session.lastUnixMs);
  return Math.max(session.points[0]?.timeUnixMs ?? 0, ...begins);
}

function timeToLimitMs(growth: Growth | null, unused: number | null): number | null {
  if (growth === null || !growth.isLeak || unused === null) return null;
  return Math.round((unused / growth.bytesPerMinute) * 60_000);
}

function largestStep(
  step: SessionGrowth['largestStep'],
  records: readonly ProcessRecord[],
): LargestStep | null {
  if (step === null || step.bytes < leastStepBytes) return null;
  const started = records.filter(
    ({ browserPid, firstUnixMs }) =>
      browserPid !== null &&
      firstUnixMs >= step.fromUnixMs - slackMs &&
      firstUnixMs <= step.toUnixMs,
  );
  return { ...step, started: started.map(({ pid, role }) => ({ pid, role })) };
}

type TimedPoint = GrowthPoint & Pick<Tick, 'monotonicMs'>;

function trackSteps() {
  let window: TimedPoint[] = [];
  let largest: SessionGrowth['largestStep'] = null;
  return {
    add(point: TimedPoint) {
      if (point.monotonicMs < (window.at(-1)?.monotonicMs ?? 0)) window = [];
      window.push(point);
      while (point.monotonicMs - (window[0]?.monotonicMs ?? 0) > stepMs) window.shift();
      for (const from of window) {
        const bytes = point.bytes - from.bytes;
        if (bytes <= (largest?.bytes ?? 0)) continue;
        largest = { fromUnixMs: from.timeUnixMs, toUnixMs: point.timeUnixMs, bytes };
      }
    },
    beginAnew() {
      window = [];
    },
    largest: () => largest,
  };
}
