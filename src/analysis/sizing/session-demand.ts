import type { Gap } from '../../model/event.ts';
import type { OngoingGrowth } from '../../model/ongoing-growth.ts';
import type { HighWater, Recording, SeriesWindow } from '../../model/recording.ts';
import type { LimitSource } from '../../model/sample.ts';
import type { SessionFacts } from '../../model/session.ts';
import { type Judgement, judgementOf } from '../judgement.ts';
import type { PeakSource } from '../memory.ts';
import { highStallRatio, lowHeadroomRatio, type VerdictKind } from '../verdict.ts';
import { ongoingGrowth } from './ongoing-growth.ts';

/** What one session needed, as far as its recording tells. */
export interface SessionDemand {
  id: string;
  file: string;
  startedUnixMs: number;
  labels: Readonly<Record<string, string>>;
  /** The label `version`, else the version of the browser; null: neither is known. */
  version: string | null;
  /**
   * Largest working set, in which shared memory and tmpfs are, and what was swapped out. Of a censored
   * session what was seen of it: it needed more.
   */
  demandBytes: number;
  source: PeakSource;
  /** It met its limit: an OOM kill, or held at the limit with everything waiting for memory. */
  isCensored: boolean;
  /** The recorder ended without a word: what the session needed after that nobody saw. */
  isCutOff: boolean;
  limitBytes: number;
  limitSource: LimitSource;
  /** Whether it still grew when its recording ended; null: not known, or it met its limit. */
  growth: OngoingGrowth | null;
}

/** What was read of a recording already, and what it comes to for when that does not do. */
export interface DemandSources {
  facts: SessionFacts;
  water: HighWater;
  judgement: () => Judgement;
  /** Of the working set. */
  windows: () => readonly SeriesWindow[];
  gaps: () => readonly Gap[];
}

/** Null when the recording does not tell how much memory was used. */
export function sessionDemand(
  recording: Recording,
  { facts, water, judgement, windows, gaps }: DemandSources = sourcesOf(recording),
): SessionDemand | null {
  const sampledBytes = water.workingSetBytes;
  if (sampledBytes === null || water.limitBytes === null) return null;
  const { kernelMark } = water;
  const isMark = kernelMark !== null && kernelMark.workingSetBytes > sampledBytes;
  const isCutOff = facts.endReason === 'lost';
  const isCensored = isNearLimit(water) && (isCutOff || metItsLimit(judgement()));
  return {
    id: facts.id,
    file: recording.path,
    startedUnixMs: facts.startedUnixMs,
    labels: facts.labels,
    version: facts.labels['version'] ?? facts.machine.browserVersion,
    demandBytes: (isMark ? kernelMark.workingSetBytes : sampledBytes) + (water.swapUsedBytes ?? 0),
    source: kernelMark === null ? 'samples' : kernelMark.source,
    isCensored,
    isCutOff,
    limitBytes: water.limitBytes,
    limitSource: water.limitSource,
    growth: isCensored
      ? null
      : ongoingGrowth({
          recording,
          limitBytes: water.limitBytes,
          sinceUnixMs: water.sinceUnixMs ?? 0,
          windows: windows(),
          gaps,
        }),
  };
}

function sourcesOf(recording: Recording): DemandSources {
  const { facts } = recording;
  return {
    facts,
    water: recording.highWater(),
    judgement: () => judgementOf(recording),
    windows: () => workingSetWindows(recording),
    gaps: () => recording.events().filter((event) => event.kind === 'gap'),
  };
}

/** What {@link DemandSources} has of windows, of any recording. */
export function workingSetWindows(recording: Recording): SeriesWindow[] {
  return recording.windows({ scope: 'session', metric: 'working_set' });
}

/** Whether it may have met its limit: only then is the recording read as a whole. */
export function isNearLimit({ availableBytes, limitBytes, hasMemoryEvent }: HighWater): boolean {
  if (hasMemoryEvent) return true;
  if (availableBytes === null || limitBytes === null) return false;
  return availableBytes < lowHeadroomRatio * limitBytes;
}

const deathsByMemory: readonly VerdictKind[] = ['kernel_oom', 'memory_stall', 'userspace_oom'];

function metItsLimit({ kind, grounds: { oomKills, memory, pressure } }: Judgement): boolean {
  if (deathsByMemory.includes(kind)) return true;
  if (oomKills.some(({ inSession }) => inSession)) return true;
  const isLow = memory.headroomMinRatio !== null && memory.headroomMinRatio < lowHeadroomRatio;
  return isLow && (pressure.memoryFullRatioMax ?? 0) >= highStallRatio;
}
