import { type ProcessRole, processRoles } from '../model/process-role.ts';
import type { Recording } from '../model/recording.ts';
import type { BriefTick } from '../model/session-memory.ts';
import type { TimeRange } from '../model/time-range.ts';
import { type Percentiles, percentilesOf } from './percentiles.ts';
import type { ProcessReport } from './processes.ts';
import type { TickTracker } from './tick-tracker.ts';

/** Sums over the processes of the browser. */
export interface BrowserReport {
  /** Most at one time; 0: no browser process was ever seen. */
  processesMax: number;
  /** Ended processes that nobody waited for; they hold a pid and no memory. */
  zombiesMax: number;
  unreclaimableBytes: Percentiles;
  pssBytes: Percentiles;
  /** Counts shared pages several times: never a footprint. */
  rssSumBytes: Percentiles;
}

/** The browser's processes of one role. */
export interface RoleReport {
  role: ProcessRole;
  processesMax: number | null;
  pssBytes: Percentiles;
  rssBytes: Percentiles;
  /** Spent while recorded, by all processes of the role. */
  cpuSeconds: number;
}

export interface BrowserCounts {
  processesMax: number;
  zombiesMax: number;
}

export function trackBrowser(): TickTracker<BrowserCounts, BriefTick> {
  const counts: BrowserCounts = { processesMax: 0, zombiesMax: 0 };
  return {
    add({ browser }) {
      counts.processesMax = Math.max(counts.processesMax, browser.processCount);
      counts.zombiesMax = Math.max(counts.zombiesMax, browser.zombieCount);
    },
    result: () => counts,
  };
}

export function browserReport(
  recording: Recording,
  range: TimeRange,
  counts: BrowserCounts,
): BrowserReport {
  return {
    ...counts,
    unreclaimableBytes: sessionPercentiles(recording, range, 'browser_unreclaimable'),
    pssBytes: sessionPercentiles(recording, range, 'browser_pss'),
    rssSumBytes: sessionPercentiles(recording, range, 'browser_rss_sum'),
  };
}

/** One entry for every role that the browser had, in the order of {@link processRoles}. */
export function roleReports(
  recording: Recording,
  range: TimeRange,
  processes: readonly ProcessReport[],
): RoleReport[] {
  return processRoles
    .map((role) => roleReport(recording, range, role))
    .filter((report) => report.processesMax !== null && report.processesMax > 0)
    .map((report) => ({ ...report, cpuSeconds: cpuSecondsOf(report.role, processes) }));
}

function sessionPercentiles(
  recording: Recording,
  range: TimeRange,
  metric: 'browser_unreclaimable' | 'browser_pss' | 'browser_rss_sum',
): Percentiles {
  return percentilesOf(recording, { scope: 'session', metric }, range);
}

function roleReport(recording: Recording, range: TimeRange, role: ProcessRole): RoleReport {
  return {
    role,
    processesMax: recording.distribution({ scope: role, metric: 'processes' }, range)?.max ?? null,
    pssBytes: percentilesOf(recording, { scope: role, metric: 'pss' }, range),
    rssBytes: percentilesOf(recording, { scope: role, metric: 'rss' }, range),
    cpuSeconds: 0,
  };
}

function cpuSecondsOf(role: ProcessRole, processes: readonly ProcessReport[]): number {
  const cpuMs = processes
    .filter((process) => process.role === role && process.browserPid !== null)
    .reduce((total, process) => total + process.cpuSeconds * 1000, 0);
  return Math.round(cpuMs) / 1000;
}
