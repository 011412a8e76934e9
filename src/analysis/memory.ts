import type { Recording } from '../model/recording.ts';
import type { LimitSource } from '../model/sample.ts';
import {
  availableBytes,
  type BriefTick,
  bindingCgroup,
  sessionLimit,
} from '../model/session-memory.ts';
import type { TimeRange } from '../model/time-range.ts';
import { rangeSince } from './memory-start.ts';
import { type Percentiles, percentilesOf, quantileOf } from './percentiles.ts';
import type { TickTracker } from './tick-tracker.ts';

export type PeakSource = 'memory.peak' | 'max_usage_in_bytes' | 'samples';

/** Memory of the session: of the cgroup whose limit binds, else of the machine. */
export interface MemoryReport extends Headroom {
  workingSetBytes: Percentiles;
  availableBytes: { min: number | null; p1: number | null; p50: number | null };
  peakBytes: {
    value: number | null;
    source: PeakSource | null;
    /** The kernel's mark did not move while recorded: it was reached before. Null: not the kernel's. */
    beforeStart: boolean | null;
  };
}

/** At the moment when the headroom was the smallest share of the limit. */
export interface Headroom {
  headroomMinBytes: number | null;
  headroomMinRatio: number | null;
  headroomMinUnixMs: number | null;
  /** The limit of that moment, and who set it. */
  limitBytes: number | null;
  limitSource: LimitSource;
}

export interface MemoryExtremes {
  availableMinBytes: number | null;
  lowest: {
    headroomBytes: number;
    ratio: number;
    limitBytes: number;
    limitSource: LimitSource;
    timeUnixMs: number;
  } | null;
  peakMark: { firstBytes: number; lastBytes: number; source: PeakSource } | null;
}

/**
 * The smallest headroom, and where the kernel's high-water mark stood. `lowestOf`: what was available
 * at the worst moment that a tick stands for; of the tick alone where nothing was thinned.
 */
export function trackMemory(
  lowestOf: (tick: BriefTick) => number | null = availableBytes,
): TickTracker<MemoryExtremes, BriefTick> {
  const extremes: MemoryExtremes = { availableMinBytes: null, lowest: null, peakMark: null };
  return {
    add(tick) {
      addHeadroom(extremes, tick, lowestOf(tick));
      addPeakMark(extremes, tick);
    },
    result: () => extremes,
  };
}

export function memoryReport(
  recording: Recording,
  range: TimeRange,
  { extremes, startUnixMs }: { extremes: MemoryExtremes; startUnixMs: number | null },
): MemoryReport {
  const part = rangeSince(range, startUnixMs);
  const workingSetBytes = percentilesOf(
    recording,
    { scope: 'session', metric: 'working_set' },
    part,
  );
  const available = recording.distribution({ scope: 'session', metric: 'available' }, part);
  return {
    workingSetBytes,
    availableBytes: {
      min: extremes.availableMinBytes,
      p1: quantileOf(available, 0.01),
      p50: quantileOf(available, 0.5),
    },
    peakBytes: peak(extremes, workingSetBytes.max, isCut(range)),
    ...headroomOf(recording, extremes),
  };
}

/** The part of the report for which nothing but the ticks is read. */
export function headroomOf(recording: Recording, { lowest }: MemoryExtremes): Headroom {
  const { machine } = recording.facts;
  return {
    headroomMinBytes: lowest?.headroomBytes ?? null,
    headroomMinRatio: lowest?.ratio ?? null,
    headroomMinUnixMs: lowest?.timeUnixMs ?? null,
    limitBytes: lowest?.limitBytes ?? machine.limitBytes,
    limitSource: lowest?.limitSource ?? machine.limitSource,
  };
}

function addHeadroom(
  extremes: MemoryExtremes,
  tick: BriefTick,
  headroomBytes: number | null,
): void {
  const { bytes: limitBytes, source: limitSource } = sessionLimit(tick);
  if (headroomBytes === null || limitBytes <= 0) return;
  extremes.availableMinBytes = Math.min(headroomBytes, extremes.availableMinBytes ?? headroomBytes);
  const ratio = headroomBytes / limitBytes;
  if (extremes.lowest !== null && ratio >= extremes.lowest.ratio) return;
  extremes.lowest = { headroomBytes, ratio, limitBytes, limitSource, timeUnixMs: tick.timeUnixMs };
}

function addPeakMark(extremes: MemoryExtremes, tick: BriefTick): void {
  const cgroup = bindingCgroup(tick);
  const mark = cgroup?.peakBytes ?? null;
  if (cgroup === null || mark === null) return;
  extremes.peakMark = {
    firstBytes: extremes.peakMark?.firstBytes ?? mark,
    lastBytes: Math.max(mark, extremes.peakMark?.lastBytes ?? mark),
    source: cgroup.version === 1 ? 'max_usage_in_bytes' : 'memory.peak',
  };
}

// The mark is that of the cgroup's whole life. It speaks for a cut range only if it moved within.
function peak(
  { peakMark }: MemoryExtremes,
  sampledBytes: number | null,
  rangeIsCut: boolean,
): MemoryReport['peakBytes'] {
  const moved = peakMark !== null && peakMark.lastBytes > peakMark.firstBytes;
  if (peakMark !== null && (moved || !rangeIsCut)) {
    return { value: peakMark.lastBytes, source: peakMark.source, beforeStart: !moved };
  }
  return {
    value: sampledBytes,
    source: sampledBytes === null ? null : 'samples',
    beforeStart: null,
  };
}

function isCut(range: TimeRange): boolean {
  return range.fromUnixMs !== undefined || range.toUnixMs !== undefined;
}
