import type { GapReport, ResolutionReport } from '../analysis/coverage.ts';
import { formatCount, formatDuration, formatInstant } from '../analysis/format.ts';
import { isOutside, type OomKillReport } from '../analysis/oom-kills.ts';
import { outsideWords } from '../analysis/oom-wording.ts';
import type { SessionReport } from '../analysis/session-report.ts';
import { formatBytes } from '../model/format-bytes.ts';
import { type Line, wrap } from './text-layout.ts';

const mostLines = 12;

/** Every OOM kill in the kernel's log, and what its counters say beyond. */
export function oomLines(report: SessionReport, columns: number): Line[] {
  const { oomKills, oomCounts, oomKillsBeforeStart } = report;
  const kills = oomKills.filter((kill) => !isOutside(kill));
  const entries = kills.slice(0, mostLines).map(killWords);
  const more = kills.length - entries.length;
  if (more > 0) entries.push(`${more} more`);
  const outside = oomKills.length - kills.length;
  if (outside > 0) entries.push(outsideWords(outside));
  if (oomCounts.withoutRecord > 0) {
    entries.push(`${oomCounts.withoutRecord} by the kernel's counter, without a record`);
  }
  if (oomKillsBeforeStart.length > 0) {
    entries.push(`${oomKillsBeforeStart.length} from before the recording, not counted`);
  }
  if (entries.length === 0) entries.push(noneWords(report));
  return section('OOM kills', entries, columns);
}

/** What the recording does not cover. */
export function coverageLines({ coverage }: SessionReport): Line[] {
  const { samples, intervalMs, missedTicks, gaps, forks } = coverage;
  const counts = `${formatCount(samples, 'sample')}, one every ${formatDuration(intervalMs)}, ${missedTicks} missed, ${formatCount(gaps.length, 'gap')}`;
  const entries = resolutionWords(coverage.resolutions);
  const gapEntries = gaps
    .slice(0, mostLines)
    .map(
      (gap) =>
        `${formatInstant(gap.fromUnixMs)} to ${formatInstant(gap.toUnixMs)}  ${gapWords(gap)}`,
    );
  entries.push(...gapEntries);
  if (gaps.length > gapEntries.length) entries.push(`${gaps.length - gapEntries.length} more`);
  if (forks !== null) {
    const created = formatCount(forks.createdCount, 'process or thread', 'processes and threads');
    entries.push(`${created} began on this machine, ${forks.seenCount} of them seen`);
  }
  return [
    { text: 'Coverage', tone: 'heading' },
    ...[counts, ...entries].map((entry) => ({ text: `  ${entry}` })),
  ];
}

/** Where the file was kept small by thinning what is old, what is still known of when. */
function resolutionWords(resolutions: readonly ResolutionReport[]): string[] {
  if (resolutions.every(({ resolution }) => resolution === 'ticks')) return [];
  const what = {
    hours: 'percentiles and a sample of every hour',
    minutes: 'percentiles and a sample of every minute',
    ticks: 'every sample',
  };
  return resolutions.map(
    ({ resolution, fromUnixMs, toUnixMs }) =>
      `${formatInstant(fromUnixMs)} to ${formatInstant(toUnixMs)}  ${what[resolution]}`,
  );
}

function gapWords({ kind, missingMs }: GapReport): string {
  if (kind !== 'clock_step') return `${kind}, ${formatDuration(missingMs)}`;
  return missingMs > 0 ? `clock step forward, ${formatDuration(missingMs)}` : 'clock step back';
}

/** What the recorder had to say; the same words once. */
export function noteLines({ notes }: SessionReport, columns: number): Line[] {
  const times = new Map<string, number>();
  for (const { message } of notes) times.set(message, (times.get(message) ?? 0) + 1);
  const entries = [...times].map(([message, count]) =>
    count === 1 ? message : `${message} (${count} times)`,
  );
  const shown = entries.slice(0, mostLines);
  if (entries.length > shown.length) shown.push(`${entries.length - shown.length} more`);
  return shown.length === 0 ? [] : section('Notes', shown, columns);
}

/** What the recording itself cost. */
export function recorderLines({ recorder, session }: SessionReport, columns: number): Line[] {
  const cpu =
    recorder.cpuMsPerSecond === null
      ? 'CPU unknown'
      : `${recorder.cpuMsPerSecond} ms of CPU a second`;
  // Of a VM's recorder, which is a part of the program that owns the VM.
  const whose =
    session.source === 'agentos'
      ? `${cpu} at most, with what its program did meanwhile`
      : `${cpu}, ${formatBytes(recorder.rssBytesMax)} resident at most`;
  const words = `${whose}, slowest reading ${formatDuration(recorder.readMsMax)}, latest ${formatDuration(recorder.latenessMsMax)} (headroom ${session.collectorVersion})`;
  const { protection } = recorder;
  return section('Recorder', protection === null ? [words] : [words, protection], columns);
}

function section(title: string, entries: readonly string[], columns: number): Line[] {
  const lines = entries.flatMap((entry) => wrap(entry, { columns, lead: '  ' }));
  return [{ text: title, tone: 'heading' }, ...lines.map((text) => ({ text }))];
}

function killWords(kill: OomKillReport): string {
  const what =
    kill.process === null
      ? `${kill.comm}, kernel pid ${kill.pid}, tied to no process of this recording`
      : `${kill.role} (${kill.comm}), pid ${kill.process.pid}`;
  const limit = kill.limitBytes === null ? '' : `, limit ${formatBytes(kill.limitBytes)}`;
  const group = kill.oomGroup === null ? '' : `, killed with its whole cgroup ${kill.oomGroup}`;
  return `${formatInstant(kill.timeUnixMs)}  ${what}, ${formatBytes(kill.rssBytes)} resident, scope ${kill.scope}${limit}${group} [${kill.evidence.join(', ')}]`;
}

function noneWords(report: SessionReport): string {
  const { coverage, oomCounts, isKernelLogRead, kernelLogRecordsLost } = report;
  if (coverage.samples === 0) return 'unknown';
  if (isKernelLogRead) {
    const lost = kernelLogRecordsLost > 0 ? ', of which some records were overwritten' : '';
    return `none in the kernel log${lost}`;
  }
  const isCounted = oomCounts.machine !== null || oomCounts.cgroup !== null;
  return isCounted ? 'none by the counter; the kernel log could not be read' : 'unknown';
}
