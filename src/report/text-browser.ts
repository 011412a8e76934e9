import { formatCount } from '../analysis/format.ts';
import { highestPss } from '../analysis/highest-pss.ts';
import { isMember } from '../analysis/membership.ts';
import type { Percentiles } from '../analysis/percentiles.ts';
import { hasEnded, type ProcessReport } from '../analysis/processes.ts';
import type { SessionReport } from '../analysis/session-report.ts';
import { formatBytes } from '../model/format-bytes.ts';
import { printable } from './printable.ts';
import { shortened } from './shortened.ts';
import { type Line, table, wrap } from './text-layout.ts';

const mostProcesses = 10;
const longestName = 16;
const rssNote = '* RSS sum counts shared pages several times: it is not what the browser needs.';
const estimateNote =
  '~ estimated: the PSS last read plus what anonymous memory grew since; it is read less often than the rest.';

/** The browser as a whole and by role. */
export function browserLines({ browser, roles }: SessionReport, columns: number): Line[] {
  const heading: Line = { text: 'Browser', tone: 'heading' };
  if (browser.processesMax === 0) {
    return [heading, { text: '  no browser process was seen' }];
  }
  const zombies =
    browser.zombiesMax === 0
      ? ''
      : ` and ${formatCount(browser.zombiesMax, 'zombie')} (ended, not waited for)`;
  const rows = table([
    ['', 'processes', 'PSS p50', 'PSS p95', 'PSS max', 'RSS sum*', 'CPU s'],
    ...roles.map((role) => [
      role.role,
      count(role.processesMax),
      ...threeOf(role.pssBytes),
      formatBytes(role.rssBytes.max),
      role.cpuSeconds.toFixed(1),
    ]),
    [
      'all of it',
      count(browser.processesMax),
      ...threeOf(browser.pssBytes),
      formatBytes(browser.rssSumBytes.max),
      '',
    ],
    ['not reclaimable', '', ...threeOf(browser.unreclaimableBytes), '', ''],
  ]);
  return [
    heading,
    { text: `  ${formatCount(browser.processesMax, 'process', 'processes')} at most${zombies}` },
    ...rows.map((text) => ({ text })),
    ...wrap(rssNote, { columns, lead: '  ' }).map((text): Line => ({ text, tone: 'faint' })),
  ];
}

/**
 * The biggest processes of the machine, by their highest PSS, or RSS where PSS was not read: those of
 * the session's browser by role, all others by name; those of other browsers marked, and last.
 */
export function processLines({ processes, deaths }: SessionReport, columns: number): Line[] {
  if (processes.length === 0) return [];
  const shown = processes.slice(0, mostProcesses);
  const oomKilled = new Set(
    deaths.filter((death) => death.verdict === 'kernel_oom').map((death) => death.pid),
  );
  const rows = table([
    ['', 'pid', 'PSS max', 'RSS max', 'CPU s', 'growth/min', 'end'],
    ...shown.map((process) => [
      nameOf(process),
      String(process.pid),
      pssWords(process),
      formatBytes(process.peakRssBytes),
      process.cpuSeconds.toFixed(1),
      formatBytes(process.growthBytesPerMinute),
      endWords(process, oomKilled.has(process.pid)),
    ]),
  ]);
  const title = `Biggest processes (${shown.length} of ${processes.length})`;
  const isAnyEstimated = shown.some((process) => highestPss(process).isEstimated);
  const notes = [...(isAnyEstimated ? [estimateNote] : []), ...strangersNote(processes)];
  const note = notes.flatMap((text) => wrap(text, { columns, lead: '  ' }));
  return [
    { text: title, tone: 'heading' },
    ...rows.map((text) => ({ text })),
    ...note.map((text): Line => ({ text, tone: 'faint' })),
  ];
}

function nameOf(process: ProcessReport): string {
  const name = isMember(process) ? process.role : process.comm;
  return shorten(process.inSession === false ? `† ${name}` : name);
}

function strangersNote(processes: readonly ProcessReport[]): string[] {
  const strangers = processes.filter(({ inSession }) => inSession === false);
  if (strangers.length === 0) return [];
  const count = formatCount(strangers.length, 'process', 'processes');
  return [`Last (†): ${count} of browsers that are not the session's.`];
}

function pssWords(process: ProcessReport): string {
  const { bytes, isEstimated } = highestPss(process);
  return `${isEstimated ? '~' : ''}${formatBytes(bytes)}`;
}

function endWords(process: ProcessReport, isOomKilled: boolean): string {
  if (!hasEnded(process)) return 'alive';
  if (isOomKilled) return 'OOM kill';
  if (process.exit?.signal) return process.exit.signal;
  if (process.exit !== null && process.exit.code !== null) return `exit ${process.exit.code}`;
  return process.isZombie ? 'zombie' : 'gone';
}

// A name of 15 bytes may take 60 signs to print.
function shorten(name: string): string {
  return shortened(printable(name), longestName);
}

function threeOf({ p50, p95, max }: Percentiles): string[] {
  return [p50, p95, max].map(formatBytes);
}

function count(value: number | null): string {
  return value === null ? 'unknown' : String(value);
}
