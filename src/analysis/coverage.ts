import type { Gap, GapKind, RecordingEvent } from '../model/event.ts';
import { gapBetween } from '../model/gap.ts';
import type { ResolutionStretch } from '../model/recording.ts';
import type { BriefTick } from '../model/session-memory.ts';
import type { ForkReport } from './forks.ts';
import type { TickTracker } from './tick-tracker.ts';

/** How much of the time, and of what came and went, the recording speaks about. */
export interface Coverage extends TimeCoverage {
  /** Null where the kernel's fork counter is not known. */
  forks: ForkReport | null;
}

export interface TimeCoverage {
  samples: number;
  /** As asked for; the recorder may have slowed down since. */
  intervalMs: number;
  /** Instants that the schedule had and of which there is no sample. */
  missedTicks: number;
  firstUnixMs: number | null;
  lastUnixMs: number | null;
  /** From the first to the last sample, sleep included, and not what the wall clock was set by. */
  lengthMs: number | null;
  gaps: GapReport[];
  /** How finely it is known: what is older than the last stretch was thinned to keep the file small. */
  resolutions: ResolutionReport[];
}

export interface ResolutionReport {
  resolution: ResolutionStretch['resolution'];
  fromUnixMs: number;
  toUnixMs: number;
  samples: number;
}

export interface GapReport {
  fromUnixMs: number;
  toUnixMs: number;
  kind: GapKind;
  /**
   * The time about which nothing is known: for a standby how long it slept, for a clock that was set
   * forward by how much, and 0 for one that was set back.
   */
  missingMs: number;
}

export interface CoverageOptions {
  intervalMs: number;
  /** Of the same range as the ticks. */
  events: readonly RecordingEvent[];
  /** Likewise. */
  resolutions: readonly ResolutionStretch[];
}

/**
 * Counts samples, missed ticks (the recorder's own count, and holes in the sequence), and gaps: those
 * that the recorder noted, and those that the two clocks of neighbouring ticks show. A gap known from
 * both is one gap, under the recorder's name. Where ticks were thinned there are only the noted ones.
 */
export function trackCoverage(options: CoverageOptions): TickTracker<TimeCoverage, BriefTick> {
  const { events, resolutions } = options;
  const thinned = resolutions.filter(({ resolution }) => resolution !== 'ticks');
  const fullFrom = resolutions.find(({ resolution }) => resolution === 'ticks')?.firstSequence;
  const seen: Gap[] = [];
  let samples = thinned.reduce((sum, { sampleCount }) => sum + sampleCount, 0);
  let missedTicks = thinned.reduce((sum, { lostCount }) => sum + lostCount, 0);
  let first: BriefTick | null = null;
  let last: BriefTick | null = null;
  return {
    add(tick) {
      const isThinned = tick.sequence < (fullFrom ?? Number.POSITIVE_INFINITY);
      if (!isThinned) samples++;
      first ??= tick;
      if (last !== null) missedTicks += missedBetween(last, tick);
      if (last !== null && !isThinned) {
        missedTicks += Math.max(0, tick.sequence - last.sequence - 1);
        const gap = gapBetween(last, tick, tick.intervalMs);
        if (gap !== null) seen.push(gap);
      }
      last = tick;
    },
    result() {
      const gaps = mergeGaps(events, seen);
      const firstUnixMs = thinned[0]?.fromUnixMs ?? first?.timeUnixMs ?? null;
      const lastUnixMs = last?.timeUnixMs ?? null;
      return {
        samples,
        intervalMs: options.intervalMs,
        missedTicks,
        firstUnixMs,
        lastUnixMs,
        lengthMs:
          firstUnixMs === null || lastUnixMs === null
            ? null
            : lastUnixMs - firstUnixMs - setBy(gaps),
        gaps: gaps.map(gapReport),
        resolutions: resolutions.map(resolutionReport),
      };
    },
  };
}

// The counter starts again with another recorder: then nothing is known about the distance.
function missedBetween(before: BriefTick, after: BriefTick): number {
  return Math.max(0, after.collector.missedTickCount - before.collector.missedTickCount);
}

/** By how much the wall clock was set, forward or back. */
function setBy(gaps: readonly Gap[]): number {
  return gaps
    .filter(({ gap }) => gap === 'clock_step')
    .reduce((total, { wallMs, monotonicMs }) => total + wallMs - monotonicMs, 0);
}

function mergeGaps(events: readonly RecordingEvent[], seen: readonly Gap[]): Gap[] {
  const noted = events.filter((event) => event.kind === 'gap');
  const unnoted = seen.filter((gap) => !noted.some((other) => isSameTime(gap, other)));
  return [...noted, ...unnoted].sort((a, b) => a.timeUnixMs - b.timeUnixMs);
}

function resolutionReport(stretch: ResolutionStretch): ResolutionReport {
  const { resolution, fromUnixMs, toUnixMs, sampleCount } = stretch;
  return { resolution, fromUnixMs, toUnixMs, samples: sampleCount };
}

function gapReport(gap: Gap): GapReport {
  const { fromUnixMs, toUnixMs, gap: kind } = gap;
  return { fromUnixMs, toUnixMs, kind, missingMs: missingMs(gap) };
}

/** How much of the time is missing in a gap. */
export function missingMs({ gap, wallMs, monotonicMs }: Gap): number {
  switch (gap) {
    case 'standby':
      return wallMs - monotonicMs;
    case 'stall':
    case 'lost':
      return monotonicMs;
    case 'restart':
      return Math.max(0, wallMs);
    // Set forward after a pause of the whole virtual machine, or just set: no sample is of that time.
    case 'clock_step':
      return Math.max(0, wallMs - monotonicMs);
  }
}

// Neighbouring gaps share the tick between them and are two; a clock that was set back ends before it starts.
function isSameTime(a: Gap, b: Gap): boolean {
  if (a.fromUnixMs === b.fromUnixMs && a.toUnixMs === b.toUnixMs) return true;
  const start = Math.max(Math.min(a.fromUnixMs, a.toUnixMs), Math.min(b.fromUnixMs, b.toUnixMs));
  const end = Math.min(Math.max(a.fromUnixMs, a.toUnixMs), Math.max(b.fromUnixMs, b.toUnixMs));
  return start < end;
}
