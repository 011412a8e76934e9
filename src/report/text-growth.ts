import { formatCount, formatDuration, formatInstant } from '../analysis/format.ts';
import type { Growth } from '../analysis/growth.ts';
import type { LargestStep } from '../analysis/growth-report.ts';
import { endGrowthWords, startedWords } from '../analysis/growth-wording.ts';
import { isMember } from '../analysis/membership.ts';
import type { SessionReport } from '../analysis/session-report.ts';
import { formatBytes } from '../model/format-bytes.ts';
import { type Line, wrap } from './text-layout.ts';

const mostLeaks = 5;

/** What grew, what stayed longer than it should have, and when the limit is met at this pace. */
export function growthLines(report: SessionReport, columns: number): Line[] {
  const entries = [...sessionWords(report), ...leakWords(report), ...populationWords(report)];
  if (entries.length === 0) return [];
  return [
    { text: 'Growth', tone: 'heading' },
    ...entries
      .flatMap((entry) => wrap(entry, { columns, lead: '  ' }))
      .map((text): Line => ({ text })),
  ];
}

function sessionWords({ agentOs, growth }: SessionReport): string[] {
  const words: string[] = [];
  if (growth.session !== null) {
    const left =
      growth.timeToLimitMs === null
        ? ''
        : `; at this pace the limit is met ${formatDuration(growth.timeToLimitMs)} after the last sample`;
    words.push(`session: ${paceWords(growth.session)}${left}`);
  }
  if (growth.atEnd !== null) words.push(`grew ${endGrowthWords(growth.atEnd)}`);
  if (growth.largestStep !== null) {
    words.push(stepWords(growth.largestStep, { ofVm: agentOs !== null }));
  }
  return words;
}

/** Leaks by role and by process, the fastest first. */
function leakWords({ growth, processes }: SessionReport): string[] {
  const roles = growth.roles
    .filter((role) => role.growth.isLeak)
    .map((role) => ({ who: `all of role ${role.role}`, growth: role.growth }));
  const single = processes
    .filter(isMember)
    .flatMap((process) =>
      process.growth?.isLeak === true
        ? [{ who: `${process.role} pid ${process.pid}`, growth: process.growth }]
        : [],
    );
  return [...roles, ...single]
    .toSorted((a, b) => b.growth.bytesPerMinute - a.growth.bytesPerMinute)
    .slice(0, mostLeaks)
    .map(({ who, growth }) => `${who}: ${paceWords(growth)}`);
}

function populationWords({ population, session }: SessionReport): string[] {
  const words: string[] = [];
  const { oldestRenderer, orphans, browsers, browsersMax } = population;
  if (oldestRenderer !== null) {
    const { pid, ageMs } = oldestRenderer;
    words.push(`oldest renderer: pid ${pid}, seen for ${formatDuration(ageMs)}`);
  }
  if (browsersMax > 1) words.push(`${browsersMax} browsers ran at the same time`);
  const left = session.endReason === 'command_exited' ? browsers.filter((b) => !b.hasEnded) : [];
  if (left.length > 0) {
    const pids = left.map(({ pid }) => pid).join(', ');
    words.push(`${formatCount(left.length, 'browser')} (pid ${pids}) outlived the command`);
  }
  if (orphans.length > 0) {
    const pids = orphans.map(({ pid, role }) => `${role} ${pid}`).join(', ');
    words.push(
      `${formatCount(orphans.length, 'process', 'processes')} outlived the browser: ${pids}`,
    );
  }
  return words;
}

function paceWords(growth: Growth): string {
  const range = `95 %: ${signed(growth.lowBytesPerMinute)} to ${signed(growth.highBytesPerMinute)}`;
  const what = growth.isLeak ? 'a leak' : 'no steady growth';
  return `${signed(growth.bytesPerMinute)} a minute (${range}), ${what}`;
}

function stepWords({ bytes, toUnixMs, started }: LargestStep, { ofVm }: { ofVm: boolean }): string {
  const step = `largest step: ${formatBytes(bytes)} within 5 s to ${formatInstant(toUnixMs)}`;
  // There is no browser, and guests have no start to go by.
  if (ofVm) return step;
  const who = startedWords(started);
  return `${step}; ${who === '' ? 'nothing of the browser began then' : `then began ${who}`}`;
}

function signed(bytes: number): string {
  return bytes < 0 ? `−${formatBytes(-bytes)}` : `+${formatBytes(bytes)}`;
}
