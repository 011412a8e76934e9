import type { ProcessRole } from '../../model/process-role.ts';
import type { LimitSource } from '../../model/sample.ts';

/** What is shown of a session at one moment. Null is "not known", never zero. */
export interface TopView {
  /** `local`, the path of the recording, or the name of the session. */
  source: string;
  /** `lost`: the recorder of the file ended without a word. */
  state: 'live' | 'ended' | 'lost';
  /** Of the last sample. */
  timeUnixMs: number;
  memory: {
    limitBytes: number;
    limitSource: LimitSource;
    /** The limit less what is available. */
    usedBytes: number | null;
    availableBytes: number | null;
    /** Charged memory less inactive file cache: of the cache it holds more than what is used does. */
    workingSetBytes: number | null;
  };
  /** Shares of the last 10 s; null before there are two samples, or where the kernel has no PSI. */
  pressure: Record<PressureShare, number | null>;
  browser: { processCount: number; pssBytes: number | null; rssSumBytes: number | null };
  /** Of the browser, in the order of the model; none that has no process. */
  roles: TopRole[];
  /** A session of `headroom host`: what is not known to be its own may be another session's. */
  isMachineShared: boolean;
  /** All that live, the one with the most memory first; those of strangers' browsers are last. */
  processes: TopProcess[];
  /** The last ones, oldest first. */
  events: TopEvent[];
}

export type PressureShare =
  | 'memorySomeRatio'
  | 'memoryFullRatio'
  | 'cpuSomeRatio'
  | 'ioSomeRatio'
  | 'ioFullRatio';

export interface TopFigures {
  /** The last reading plus the change of anonymous memory since; null until it was read. */
  pssBytes: number | null;
  rssBytes: number | null;
  /** Of one core, over the last 10 s. */
  cpuRatio: number | null;
  /** Of anonymous memory, over the last 10 minutes; null for less than one. */
  growthBytesPerMinute: number | null;
  /** It grew all the time. */
  isLeak: boolean;
}

export interface TopRole extends TopFigures {
  role: ProcessRole;
  processCount: number;
}

export interface TopProcess extends TopFigures {
  pid: number;
  role: ProcessRole;
  /** As the process calls itself: hostile, until it went through `printable`. */
  comm: string;
  state: string;
  /** Of the session's browser; false: of another browser; null: nothing tells. */
  inSession: boolean | null;
}

export interface TopEvent {
  timeUnixMs: number | null;
  /** An OOM kill or a crash of the session's own, or its want of memory. */
  isBad: boolean;
  /** Of a kill or an end: whether it hit the session; null: not known, or an event of another kind. */
  inSession: boolean | null;
  /** With names that processes gave themselves. */
  words: string;
}

/** What a figure of memory is sorted by: PSS, or RSS where PSS is not known. Bytes. */
export function memoryOf({ pssBytes, rssBytes }: TopFigures): number | null {
  return pssBytes ?? rssBytes;
}
