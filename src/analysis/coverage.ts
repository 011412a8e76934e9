import type { Gap, GapKind, RecordingEvent } from '../model/event.ts';
import { gapBetween } from '../model/gap.ts';
import type { Tick } from '../model/session-memory.ts';
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
}

/**
 * Counts samples, missed ticks (the recorder's own count, and holes in the sequence), and gaps: those
 * that the recorder noted, and those that the two clocks of neighbouring ticks show. A gap known from
 * both is one gap, under the recorder's name.
 */
export function trackCoverage(options: CoverageOptions): TickTracker<TimeCoverage> {
  const seen: Gap[] = [];
  let samples = 0;
  let missedTicks = 0;
  let first: Tick | null = null;
  let last: Tick | null = null;
  return {
    add(tick) {
      samples++;
      first ??= tick;
      if (last !== null) {
        missedTicks += missedBetween(last, tick);
        const gap = gapBetween(last, tick, tick.intervalMs);
        if (gap !== null) seen.push(gap);
      }
      last = tick;
    },
    result() {
      const gaps = mergeGaps(options.events, seen);
      return {
        samples,
        intervalMs: options.intervalMs,
        missedTicks,
        firstUnixMs: first?.timeUnixMs ?? null,
        lastUnixMs: last?.timeUnixMs ?? null,
        lengthMs: first === null || last === null ? null : lengthOf(first, last, gaps),
        gaps: gaps.map(gapReport),
      };
    },
  };
}

// Both counters start again with another recorder: then nothing is known about the distance.
function missedBetween(before: Tick, after: Tick): number {
  const missed = after.collector.missedTickCount - before.collector.missedTickCount;
  const lost = after.sequence - before.sequence - 1;
  return Math.max(0, missed) + Math.max(0, lost);
}

function lengthOf(first: Tick, last: Tick, gaps: readonly Gap[]): number {
  const setBy = gaps
    .filter(({ gap }) => gap === 'clock_step')
    .reduce((total, { wallMs, monotonicMs }) => total + wallMs - monotonicMs, 0);
  return last.timeUnixMs - first.timeUnixMs - setBy;
}

function mergeGaps(events: readonly RecordingEvent[], seen: readonly Gap[]): Gap[] {
  const noted = events.filter((event) => event.kind === 'gap');
  const unnoted = seen.filter((gap) => !noted.some((other) => isSameTime(gap, other)));
  return [...noted, ...unnoted].sort((a, b) => a.timeUnixMs - b.timeUnixMs);
}

function gapReport(gap: Gap): GapReport {
  const { fromUnixMs, toUnixMs, gap: kind } = gap;
  return { fromUnixMs, toUnixMs, kind, missingMs: missingMs(gap) };
}

function missingMs({ gap, wallMs, monotonicMs }: Gap): number {
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
