import type { ProcessExit } from '../model/event.ts';
import { larger } from '../model/known-extremes.ts';
import type { ProcessRole } from '../model/process-role.ts';
import type { ProcessRecord, Recording } from '../model/recording.ts';
import type { TimeRange } from '../model/time-range.ts';
import type { GapReport } from './coverage.ts';
import { type Growth, growthOf } from './growth.ts';
import {
  isCommand,
  membershipAmong,
  membershipRank,
  placedProcesses,
  sharesMachine,
} from './membership.ts';
import { type ProcessHistory, processHistories } from './process-histories.ts';

/** One process as far as the range saw it. */
export interface ProcessReport {
  pid: number;
  startTicks: number;
  role: ProcessRole;
  firstUnixMs: number;
  lastUnixMs: number;
  peakRssBytes: number | null;
  /** The most that was read: PSS is read less often than the rest, and may have been more between. */
  peakPssBytes: number | null;
  /** The most by estimate: the PSS last read plus what anonymous memory changed since. No less than read. */
  peakPssEstimatedBytes: number | null;
  /** Spent while recorded. */
  cpuSeconds: number;
  /** Growth of anonymous memory; null where it cannot be said. */
  growthBytesPerMinute: number | null;
  /** Likewise, with its confidence. */
  growth: Growth | null;
  /** Null while it lives. */
  exit: ProcessEnd | null;
  comm: string;
  executable: string | null;
  parentPid: number;
  browserPid: number | null;
  /** Without credentials; null when command lines were not recorded. */
  command: string | null;
  oomScoreAdj: number | null;
  /** Path of its memory cgroup; null when not known, as outside of browsers. */
  cgroup: string | null;
  /** RSS of the last row stored. */
  lastRssBytes: number | null;
  /** Threads when first seen, and the most that were seen; null where the system does not tell. */
  threadsFirst: number | null;
  threadsMax: number | null;
  /** Ended and not waited for by its parent, when last seen. */
  isZombie: boolean;
  /** True: of the session's browser, or its command; false: of another browser; null: nothing tells. */
  inSession: boolean | null;
}

export interface ProcessEnd {
  /** When its absence was noticed, at most one interval late. */
  timeUnixMs: number;
  /** Known only of the recorder's own children. */
  code: number | null;
  signal: string | null;
}

export interface ProcessContext {
  /** A growth per minute means nothing when a tenth of the minutes is missing. */
  gaps: readonly GapReport[];
  /** What comes after it is no growth: a session that stands still at its limit. Default: never. */
  grownUntilUnixMs?: number | undefined;
  /** Where they were read already. */
  histories?: ReadonlyMap<number, ProcessHistory>;
  /** How the recorded command, or the sidecar of the VM, ended: these are the session's. */
  ends?: readonly (ProcessExit | null)[];
  /** False where nobody asks for it: to find it takes longer than all the rest. */
  withGrowth?: boolean;
}

/** Every process that lived in the range, the one with the highest peak first; strangers' are last. */
export function processReports(
  recording: Recording,
  range: TimeRange,
  context: ProcessContext,
): ProcessReport[] {
  const { histories = processHistories(recording, range), ends = [] } = context;
  const all = placedProcesses(recording);
  const membership = membershipAmong(all);
  const session = { isMachineShared: sharesMachine(recording.lastTick()?.cgroup ?? null) };
  return all
    .filter((record) => isWithin(record, range))
    .map((record) => ({
      ...processReport(record, histories.get(record.process), { range, context }),
      inSession: ends.some((end) => isCommand(record, end)) || membership(record),
    }))
    .sort(
      (a, b) =>
        membershipRank(a, session) - membershipRank(b, session) ||
        peakOf(b) - peakOf(a) ||
        a.pid - b.pid ||
        a.startTicks - b.startTicks,
    );
}

/** Whether the process is known to have come to its end. */
export function hasEnded(process: Pick<ProcessReport, 'exit' | 'isZombie'>): boolean {
  return process.exit !== null || process.isZombie;
}

function isWithin(record: ProcessRecord, range: TimeRange): boolean {
  return record.lastUnixMs >= fromOf(range) && record.firstUnixMs <= toOf(range);
}

function processReport(
  record: ProcessRecord,
  history: ProcessHistory | undefined,
  { range, context }: { range: TimeRange; context: ProcessContext },
): Omit<ProcessReport, 'inSession'> {
  const isWhole = record.firstUnixMs >= fromOf(range) && record.lastUnixMs <= toOf(range);
  const firstUnixMs = Math.max(record.firstUnixMs, fromOf(range));
  const lastUnixMs = Math.min(record.lastUnixMs, toOf(range));
  const growth = growthWithin(history, { firstUnixMs, lastUnixMs }, context);
  const peakPssBytes = isWhole ? record.peakPssBytes : (history?.peakPssBytes ?? null);
  const cpuMs = isWhole
    ? record.lastCpuMs - record.firstCpuMs
    : (history?.last.cpuMs ?? 0) - (history?.firstCpuMs ?? 0);
  return {
    pid: record.pid,
    startTicks: record.startTicks,
    role: record.role,
    firstUnixMs,
    lastUnixMs,
    // The record knows the kernel's high-water mark; for a part of a life there are only the rows.
    peakRssBytes: isWhole ? record.peakRssBytes : (history?.peakRssBytes ?? null),
    peakPssBytes,
    peakPssEstimatedBytes: larger(peakPssBytes, history?.peakPssEstimatedBytes ?? null),
    cpuSeconds: Math.max(0, cpuMs) / 1000,
    growthBytesPerMinute: growth?.bytesPerMinute ?? null,
    growth,
    exit: exitOf(record, range),
    comm: record.comm,
    executable: record.executable,
    parentPid: record.parentPid,
    browserPid: record.browserPid,
    command: record.command,
    oomScoreAdj: record.oomScoreAdj,
    cgroup: record.cgroup,
    lastRssBytes: history?.last.rssBytes ?? null,
    threadsFirst: history?.threadsFirst ?? null,
    threadsMax: history?.threadsMax ?? null,
    isZombie: history?.last.state === 'Z',
  };
}

type Life = Pick<ProcessReport, 'firstUnixMs' | 'lastUnixMs'>;

function growthWithin(
  history: ProcessHistory | undefined,
  { firstUnixMs, lastUnixMs }: Life,
  { gaps, grownUntilUnixMs = lastUnixMs, withGrowth = true }: ProcessContext,
): Growth | null {
  const life = { firstUnixMs, lastUnixMs: Math.min(lastUnixMs, grownUntilUnixMs) };
  if (!withGrowth || isBroken(life, gaps)) return null;
  return growthOf(history?.anonymous ?? [], life.lastUnixMs);
}

function exitOf(record: ProcessRecord, range: TimeRange): ProcessEnd | null {
  if (record.endedUnixMs === null || record.endedUnixMs > toOf(range)) return null;
  return { timeUnixMs: record.endedUnixMs, code: record.exitCode, signal: record.signal };
}

function isBroken(life: Life, gaps: readonly GapReport[]): boolean {
  const missingMs = gaps.reduce((total, gap) => {
    const fromUnixMs = Math.max(gap.fromUnixMs, life.firstUnixMs);
    const toUnixMs = Math.min(gap.toUnixMs, life.lastUnixMs);
    return total + Math.max(0, toUnixMs - fromUnixMs);
  }, 0);
  return missingMs * 10 > life.lastUnixMs - life.firstUnixMs;
}

function peakOf(process: ProcessReport): number {
  return process.peakPssEstimatedBytes ?? process.peakRssBytes ?? 0;
}

function fromOf(range: TimeRange): number {
  return range.fromUnixMs ?? Number.NEGATIVE_INFINITY;
}

function toOf(range: TimeRange): number {
  return range.toUnixMs ?? Number.POSITIVE_INFINITY;
}
