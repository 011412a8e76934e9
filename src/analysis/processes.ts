import type { ProcessRole } from '../model/process-role.ts';
import type { ProcessRecord, ProcessSample, Recording } from '../model/recording.ts';
import type { TimeRange } from '../model/time-range.ts';
import type { GapReport } from './coverage.ts';
import { type GrowthPoint, growthBytesPerMinute } from './growth.ts';

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

// The row in force when the range begins, then those within.
interface History {
  peakRssBytes: number | null;
  peakPssBytes: number | null;
  firstCpuMs: number;
  threadsFirst: number | null;
  threadsMax: number | null;
  last: ProcessSample;
  anonymous: GrowthPoint[];
}

/** Every process that lived in the range, the one with the highest peak first. */
export function processReports(
  recording: Recording,
  range: TimeRange,
  gaps: readonly GapReport[],
): ProcessReport[] {
  const records = recording.processes().filter((record) => isWithin(record, range));
  const histories = readHistories(recording, range);
  return records
    .map((record) => processReport(record, histories.get(record.process), range))
    .map((report) => (isBroken(report, gaps) ? { ...report, growthBytesPerMinute: null } : report))
    .sort((a, b) => peakOf(b) - peakOf(a) || a.pid - b.pid || a.startTicks - b.startTicks);
}

/** Whether the process is known to have come to its end. */
export function hasEnded(process: ProcessReport): boolean {
  return process.exit !== null || process.isZombie;
}

function isWithin(record: ProcessRecord, range: TimeRange): boolean {
  return record.lastUnixMs >= fromOf(range) && record.firstUnixMs <= toOf(range);
}

function readHistories(recording: Recording, range: TimeRange): Map<number, History> {
  const histories = new Map<number, History>();
  // From the beginning, not from the range's: rows are sparse, and an older one may be in force.
  for (const row of recording.processSamples({ toUnixMs: range.toUnixMs })) {
    const history = histories.get(row.process);
    if (history === undefined || row.timeUnixMs <= fromOf(range)) {
      histories.set(row.process, startHistory(row, range));
    } else {
      extendHistory(history, row);
    }
  }
  return histories;
}

function startHistory(row: ProcessSample, range: TimeRange): History {
  const timeUnixMs = Math.max(row.timeUnixMs, fromOf(range));
  return {
    peakRssBytes: row.rssBytes,
    peakPssBytes: row.pssBytes,
    firstCpuMs: row.cpuMs,
    threadsFirst: row.threadCount,
    threadsMax: row.threadCount,
    last: row,
    anonymous: row.anonBytes === null ? [] : [{ timeUnixMs, bytes: row.anonBytes }],
  };
}

function extendHistory(history: History, row: ProcessSample): void {
  history.peakRssBytes = larger(history.peakRssBytes, row.rssBytes);
  history.peakPssBytes = larger(history.peakPssBytes, row.pssBytes);
  history.threadsMax = larger(history.threadsMax, row.threadCount);
  history.last = row;
  if (row.anonBytes !== null) {
    history.anonymous.push({ timeUnixMs: row.timeUnixMs, bytes: row.anonBytes });
  }
}

function processReport(
  record: ProcessRecord,
  history: History | undefined,
  range: TimeRange,
): ProcessReport {
  const isWhole = record.firstUnixMs >= fromOf(range) && record.lastUnixMs <= toOf(range);
  const lastUnixMs = Math.min(record.lastUnixMs, toOf(range));
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
    growthBytesPerMinute: growthBytesPerMinute(history?.anonymous ?? [], lastUnixMs),
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

function exitOf(record: ProcessRecord, range: TimeRange): ProcessEnd | null {
  if (record.endedUnixMs === null || record.endedUnixMs > toOf(range)) return null;
  return { timeUnixMs: record.endedUnixMs, code: record.exitCode, signal: record.signal };
}

// A growth per minute means nothing when a tenth of the minutes is missing.
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

function larger(a: number | null, b: number | null): number | null {
  if (a === null) return b;
  return b === null ? a : Math.max(a, b);
}

function fromOf(range: TimeRange): number {
  return range.fromUnixMs ?? Number.NEGATIVE_INFINITY;
}

function toOf(range: TimeRange): number {
  return range.toUnixMs ?? Number.POSITIVE_INFINITY;
}
