import { formatDuration, formatInstant } from '../analysis/format.ts';
import type { SessionReport } from '../analysis/session-report.ts';
import { endOfCommand, type RootProcess } from '../analysis/session-section.ts';
import { headlineOf } from './headline.ts';
import { agentOsLines } from './text-agentos.ts';
import { browserLines, processLines } from './text-browser.ts';
import { coverageLines, noteLines, oomLines, recorderLines } from './text-events.ts';
import { growthLines } from './text-growth.ts';
import { joinLines, type Line, wrap } from './text-layout.ts';
import { memoryLines } from './text-memory.ts';
import { pageLines } from './text-pages.ts';
import { timelineLines } from './text-timeline.ts';

export interface TextOptions {
  /** Width of the terminal; 80 where there is none. */
  columns?: number;
  /** Escape sequences for colours; off by default. */
  color?: boolean;
}

// The tables need 80 columns; prose beyond 100 is hard to read.
const narrowest = 80;
const widest = 100;

/** The report for a person at a terminal: the verdict first, then what it rests on. */
export function renderText(report: SessionReport, options: TextOptions = {}): string {
  const columns = columnsOf(options);
  return joinSections([verdictLines(report, columns), ...sectionsOf(report, columns)], options);
}

/** The verdict, what it rests on, and the picture of memory over time. */
export function renderShortText(report: SessionReport, options: TextOptions = {}): string {
  const columns = columnsOf(options);
  return joinSections([verdictLines(report, columns), timelineLines(report, columns)], options);
}

function columnsOf({ columns }: TextOptions): number {
  return Math.min(widest, Math.max(narrowest, columns ?? 80));
}

function joinSections(sections: readonly Line[][], { color }: TextOptions): string {
  const lines = sections
    .filter((section) => section.length > 0)
    .flatMap((section, at): Line[] => (at === 0 ? section : [{ text: '' }, ...section]));
  return joinLines(lines, { color: color ?? false });
}

/** Everything below the verdict; each section begins with its heading. */
export function sectionsOf(report: SessionReport, columns: number): Line[][] {
  return [
    sessionLines(report, columns),
    timelineLines(report, columns),
    memoryLines(report, columns),
    growthLines(report, columns),
    agentOsLines(report, columns),
    ...(report.agentOs === null ? [browserLines(report, columns)] : []),
    pageLines(report, columns),
    processLines(report, columns),
    oomLines(report, columns),
    coverageLines(report),
    noteLines(report, columns),
    recorderLines(report, columns),
  ].filter((section) => section.length > 0);
}

function verdictLines(report: SessionReport, columns: number): Line[] {
  const { verdict } = report;
  const { words, tone } = headlineOf(report);
  const list = (title: string, entries: readonly string[]): Line[] => {
    if (entries.length === 0) return [];
    const lines = entries.flatMap((entry) => wrap(entry, { columns, lead: '  - ' }));
    return [{ text: title, tone: 'heading' }, ...lines.map((text) => ({ text }))];
  };
  return [
    { text: words, tone },
    ...wrap(verdict.summary, { columns, lead: '  ' }).map((text) => ({ text })),
    ...list('What to do', verdict.advice),
    ...list('Evidence', verdict.evidence),
  ];
}

function sessionLines({ session, coverage, part }: SessionReport, columns: number): Line[] {
  const { machine } = session;
  const toUnixMs = coverage.lastUnixMs ?? session.endedUnixMs;
  const fromUnixMs = coverage.firstUnixMs ?? session.startedUnixMs;
  const length = coverage.lengthMs ?? (toUnixMs === null ? null : toUnixMs - fromUnixMs);
  const labels = Object.entries(session.labels).map(([key, value]) => `${key}=${value}`);
  const facts = [
    `${session.id} (${session.source})`,
    ...(part === null ? [] : [wholeWords(part, session)]),
    `${part === null ? '' : 'of which this part: '}${formatInstant(fromUnixMs)} to ${formatInstant(toUnixMs)}, ${formatDuration(length)}${part === null ? `, ${endWords(session)}` : ''}`,
    `kernel ${machine.kernel}, ${machine.cpuCount ?? 'unknown number of'} CPUs, browser version ${machine.browserVersion ?? 'unknown'}`,
    ...(session.root === null ? [] : [rootWords(session.root)]),
    ...(labels.length === 0 ? [] : [labels.join(' ')]),
  ];
  return [
    { text: 'Session', tone: 'heading' },
    ...facts.flatMap((fact) => wrap(fact, { columns, lead: '  ' })).map((text) => ({ text })),
  ];
}

function wholeWords(
  { recordedFromUnixMs: from, recordedToUnixMs: to }: NonNullable<SessionReport['part']>,
  session: SessionReport['session'],
): string {
  return `${formatInstant(from)} to ${formatInstant(to)}, ${formatDuration(to - from)}, ${endWords(session)}`;
}

function rootWords({ pid, comm, endedUnixMs, ...end }: RootProcess): string {
  const who = `of pid ${pid} (${comm ?? 'never seen'}) and its descendants`;
  if (endedUnixMs === null) return who;
  const how = endOfCommand(end);
  return `${who}; it ended at ${formatInstant(endedUnixMs)}${how === null ? ', and how is not recorded' : ` (${how})`}`;
}

function endWords(session: SessionReport['session']): string {
  const { endReason, isLive } = session;
  if (isLive) return 'still running';
  switch (endReason) {
    case 'duration':
      return 'ended as planned';
    case 'signal':
      return 'stopped by a signal';
    case 'command_exited':
      return commandWords(session);
    case 'detached':
      return 'ended by the program that recorded it';
    case 'vm_lost':
      return 'ended with the loss of the VM';
    case 'deleted':
      return session.source === 'agentos'
        ? 'ended with the disposal of the VM'
        : 'ended with the deletion of the session';
    case 'copied':
      return 'still recorded when this copy was made';
    default:
      return 'broken off without a word';
  }
}

function commandWords({ command, stopAskedUnixMs }: SessionReport['session']): string {
  const stopped = stopAskedUnixMs === null ? '' : ', stopped by a signal';
  const end = command === null ? null : endOfCommand(command);
  return `ended with its command${stopped}${end === null ? '' : ` (${end})`}`;
}
