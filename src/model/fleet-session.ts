import type { OngoingGrowth } from './ongoing-growth.ts';
import type { LimitSource } from './sample.ts';
import type { EndReason } from './session.ts';
import type { Sketch } from './sketch.ts';

/** What a fleet keeps of one session: small enough for ten thousand, and enough not to look again. */
export interface FleetSession {
  id: string;
  /** The recording, as an absolute path; null: another one took its place. */
  file: string | null;
  source: string;
  labels: Readonly<Record<string, string>>;
  /** The label `version`, else the version of the browser; null: neither is known. */
  version: string | null;
  /** The label `tier`, else the size that its limit was sold as: `8GiB`. */
  tier: string;
  startedUnixMs: number;
  /** Of the last sample. */
  lastUnixMs: number;
  endReason: EndReason | null;
  /** Number of the last sample: of two recordings of a session the longer one has the higher. */
  lastSequence: number;
  /** How long it is known what was used; gaps are not in it. */
  recordedMs: number;
  /** Peak working set and what was swapped out, as in docs/sizing.md; a lower bound when censored. */
  demandBytes: number;
  demandSource: 'memory.peak' | 'max_usage_in_bytes' | 'samples';
  isCensored: boolean;
  isCutOff: boolean;
  limitBytes: number;
  limitSource: LimitSource;
  /** Whether it still grew when its recording ended; null: not known, or it met its limit. */
  growth: OngoingGrowth | null;
  /** The least that was available in any sample. */
  availableMinBytes: number | null;
  oomKillCount: number;
  /** Processes of the session that died of something, those that ended in order not counted. */
  deathCount: number;
  /** As in the report: `healthy`, `kernel_oom` … */
  verdict: string;
  /** One sentence; null: there was nothing to say. */
  summary: string | null;
  gapCount: number;
  /** Time of which nothing is known. */
  gapMs: number;
  /** Time-weighted, in ms. */
  workingSetBytes: Sketch;
  utilizationRatio: Sketch | null;
}
