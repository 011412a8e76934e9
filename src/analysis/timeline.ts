import { formatBytes } from '../model/format-bytes.ts';
import { warningWords } from './agentos-wording.ts';
import { deathName } from './death-wording.ts';
import type { DeathReport } from './deaths.ts';
import type { Findings } from './findings.ts';
import { formatDistance, formatDuration, formatRatio } from './format.ts';
import { startedWords } from './growth-wording.ts';
import { isOutside } from './oom-kills.ts';
import { victim } from './oom-wording.ts';
import { stallWords } from './stall.ts';
import type { WarningReport } from './warnings.ts';

/** One line of what happened, as somebody would note it who looked through the recording by hand. */
export interface TimelineEntry {
  timeUnixMs: number;
  text: string;
}

type Told = Omit<Findings, 'timeline'>;

const mostEntries = 30;
const mostOfAKind = 8;

/** What happened, oldest first; of very many entries the first and the last ones. */
export function timelineOf(findings: Told): TimelineEntry[] {
  const entries = [
    ...recordingEntries(findings),
    ...browserEntries(findings),
    ...memoryEntries(findings),
    ...findings.warnings.slice(-mostOfAKind).map(warningEntry),
    ...findings.stalls
      .slice(0, mostOfAKind)
      .map((stall) => ({ timeUnixMs: stall.fromUnixMs, text: `stall: ${stallWords(stall)}` })),
    ...agentOsEntries(findings),
    ...killEntries(findings),
    ...findings.deaths.filter(({ verdict }) => verdict !== 'kernel_oom').map(deathEntry),
    ...findings.coverage.gaps.slice(0, mostOfAKind).map((gap) => ({
      timeUnixMs: gap.fromUnixMs,
      text: `gap (${gap.kind}): nothing is known of ${formatDuration(gap.missingMs)}`,
    })),
    ...findings.notes
      .filter(({ code }) => code === 'limit_change')
      .slice(0, mostOfAKind)
      .map(({ timeUnixMs, message }) => ({ timeUnixMs, text: message })),
  ].toSorted((a, b) => a.timeUnixMs - b.timeUnixMs);
  if (entries.length <= mostEntries) return entries;
  const first = entries.slice(0, mostEntries / 2);
  const last = entries.slice(-mostEntries / 2);
  const left = entries.length - mostEntries;
  return [
    ...first,
    { timeUnixMs: last[0]?.timeUnixMs ?? 0, text: `(${left} more before)` },
    ...last,
  ];
}

function recordingEntries({ coverage, memory, part, session }: Told): TimelineEntry[] {
  const { firstUnixMs, lastUnixMs } = coverage;
  if (firstUnixMs === null || lastUnixMs === null) return [];
  const what = part === null ? 'recording' : 'this part';
  const begin = `${what} begins, limit ${formatBytes(memory.limitBytes)}`;
  const end = session.isLive ? 'last sample so far' : 'last sample';
  const last = part === null ? end : 'last sample of this part';
  return [
    { timeUnixMs: firstUnixMs, text: begin },
    { timeUnixMs: lastUnixMs, text: last },
  ];
}

function browserEntries({ population }: Told): TimelineEntry[] {
  return population.browsers.slice(0, mostOfAKind).map(({ pid, firstUnixMs }) => ({
    timeUnixMs: firstUnixMs,
    text: `browser pid ${pid} first seen`,
  }));
}

function memoryEntries({ growth, memory, pressure }: Told): TimelineEntry[] {
  const entries: TimelineEntry[] = [];
  const step = growth.largestStep;
  if (step !== null) {
    const who = startedWords(step.started);
    const began = who === '' ? '' : `; began then: ${who}`;
    entries.push({
      timeUnixMs: step.toUnixMs,
      text: `largest step: ${formatBytes(step.bytes)} within 5 s${began}`,
    });
  }
  if (memory.headroomMinUnixMs !== null) {
    const text = `lowest headroom: ${formatBytes(memory.headroomMinBytes)} (${formatRatio(memory.headroomMinRatio)})`;
    entries.push({ timeUnixMs: memory.headroomMinUnixMs, text });
  }
  if (pressure.memoryFullMaxUnixMs !== null && (pressure.memoryFullRatioMax ?? 0) > 0.01) {
    const text = `most pressure: all tasks waited for memory for ${formatRatio(pressure.memoryFullRatioMax)} of 10 s`;
    entries.push({ timeUnixMs: pressure.memoryFullMaxUnixMs, text });
  }
  return entries;
}

function agentOsEntries({ agentOs }: Told): TimelineEntry[] {
  if (agentOs === null) return [];
  const { limitWarnings, end, vmId } = agentOs;
  const warnings = limitWarnings.slice(0, mostOfAKind).map((warning) => ({
    timeUnixMs: warning.timeUnixMs,
    text: `limit of the VM: ${warningWords(warning)}`,
  }));
  if (end === null) return warnings;
  const how = end.how === 'lost' ? 'was lost with its sidecar' : 'was disposed of';
  return [...warnings, { timeUnixMs: end.timeUnixMs, text: `${vmId} ${how}` }];
}

function warningEntry(warning: WarningReport): TimelineEntry {
  const { fromUnixMs, secondsToLimit, limitBytes } = warning;
  const left = `${formatBytes(warning.unusedBytes)} of ${formatBytes(limitBytes)} left`;
  const pace = secondsToLimit === null ? '' : `, the limit in ${secondsToLimit} s at this pace`;
  return { timeUnixMs: fromUnixMs, text: `warning: ${left}${pace}` };
}

function killEntries({ leads, oomKills }: Told): TimelineEntry[] {
  return oomKills
    .filter((kill) => !isOutside(kill))
    .slice(0, mostOfAKind)
    .flatMap((kill): TimelineEntry[] => {
      const { timeUnixMs } = kill;
      if (timeUnixMs === null) return [];
      const lead = leads.find((other) => other.timeUnixMs === timeUnixMs);
      const warnedUnixMs = lead?.warnedUnixMs ?? null;
      const known =
        warnedUnixMs === null
          ? ''
          : `, ${formatDistance(warnedUnixMs, timeUnixMs)} after the warning`;
      return [{ timeUnixMs, text: `OOM kill of ${victim(kill)}${known}` }];
    });
}

function deathEntry(death: DeathReport): TimelineEntry {
  const how = death.signal ?? (death.exitCode === null ? null : `exit code ${death.exitCode}`);
  const text = `${deathName(death)} ended${how === null ? '' : ` by ${how}`}: ${death.verdict}`;
  return { timeUnixMs: death.timeUnixMs, text };
}
