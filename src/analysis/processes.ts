import type { ProcessRole } from '../model/process-role.ts';
import type { ProcessRecord, Recording } from '../model/recording.ts';
import type { TimeRange } from '../model/time-range.ts';
import type { GapReport } from './coverage.ts';
import { type Growth, growthOf } from './growth.ts';
import { type ProcessHistory, processHistories } from './process-histories.ts';

/** One process as far as the range saw it. */
export interface ProcessReport {
  pid: number;
  startTicks: number;
  role: ProcessRole;
  firstUnixMs: number;
  lastUnixMs: number;
  peakRssBytes: number | null;
  peakPssBytes: number | null;
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
  /** Where they were read already. */
  histories?: ReadonlyMap<number, ProcessHistory>;
  /** False where nobody asks for it: to find it takes longer than all the rest. */
  withGrowth?: boolean;
}

/** Every process that lived in the range, the one with the highest peak first. */
export function processReports(
  recording: Recording,
  range: TimeRange,
  { gaps, histories = processHistories(recording, range), withGrowth = true }: ProcessContext,
): ProcessReport[] {
  const records = recording.processes().filter((record) => isWithin(record, range));
  return records
    .map((record) => processReport(record, histories.get(record.process), { range, withGrowth }))
    .map((report) => (isBroken(report, gaps) ? withoutGrowth(report) : report))
    .sort((a, b) => peakOf(b) - peakOf(a) || a.pid - b.pid || a.startTicks - b.startTicks);
}

/** Whether the process is known to have come to its end. */
export function hasEnded(process: ProcessReport): boolean {
  return process.exit !== null || process.isZombie;
}

function isWithin(record: ProcessRecord, range: TimeRange): boolean {
  return record.lastUnixMs >= fromOf(range) && record.firstUnixMs <= toOf(range);
}

function processReport(
  record: ProcessRecord,
  history: ProcessHistory | undefined,
  { range, withGrowth }: { range: TimeRange; withGrowth: boolean },
): ProcessReport {
  const isWhole = record.firstUnixMs >= fromOf(range) && record.lastUnixMs <= toOf(range);
  const lastUnixMs = Math.min(record.lastUnixMs, toOf(range));
  const growth = withGrowth ? growthOf(history?.anonymous ?? [], lastUnixMs) : null;
  const cpuMs = isWhole
    ? record.lastCpuMs - record.firstCpuMs
    : (history?.last.cpuMs ?? 0) - (history?.firstCpuMs ?? 0);
  return {
    pid: record.pid,
    startTicks: record.startTicks,
    role: record.role,
    firstUnixMs: Math.max(record.firstUnixMs, fromOf(range)),
    lastUnixMs,
    // The record knows the kernel's high-water mark; for a part of a life there are only the rows.
    peakRssBytes: isWhole ? record.peakRssBytes : (history?.peakRssBytes ?? null),
    peakPssBytes: isWhole ? record.peakPssBytes : (history?.peakPssBytes ?? null),
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

function withoutGrowth(process: ProcessReport): ProcessReport {
  return { ...process, growthBytesPerMinute: null, growth: null };
}

function exitOf(record: ProcessRecord, range: TimeRange): ProcessEnd | null {
  if (record.endedUnixMs === null || record.endedUnixMs > toOf(range)) return null;
  return { timeUnixMs: record.endedUnixMs, code: record.exitCode, signal: record.signal };
}

function isBroken(process: ProcessReport, gaps: readonly GapReport[]): boolean {
  const missingMs = gaps.reduce((total, gap) => {
    const fromUnixMs = Math.max(gap.fromUnixMs, process.firstUnixMs);
    const toUnixMs = Math.min(gap.toUnixMs, process.lastUnixMs);
    return total + Math.max(0, toUnixMs - fromUnixMs);
  }, 0);
  return missingMs * 10 > process.lastUnixMs - process.firstUnixMs;
}

function peakOf(process: ProcessReport): number {
  return process.peakPssBytes ?? process.peakRssBytes ?? 0;
}

function fromOf(range: TimeRange): number {
  return range.fromUnixMs ?? Number.NEGATIVE_INFINITY;
}

function toOf(range: TimeRange): number {
  return range.toUnixMs ?? Number.POSITIVE_INFINITY;
}
