import { formatBytes } from '../model/format-bytes.ts';
import type { LimitSource } from '../model/sample.ts';
import { adviceFor } from './advice.ts';
import { type AgentOsReport, heapWarningOf } from './agentos.ts';
import { guestName, lossClause, warningWords } from './agentos-wording.ts';
import type { DeathVerdict } from './death-cause.ts';
import { deathFinding, deathName } from './death-wording.ts';
import type { DeathReport } from './deaths.ts';
import { evidenceFor } from './evidence.ts';
import type { Findings } from './findings.ts';
import { formatCount, formatInstant, formatRatio } from './format.ts';
import type { EmptyFile, Grounds } from './grounds.ts';
import { endGrowthWords } from './growth-wording.ts';
import { describeKills } from './oom-wording.ts';
import { partClause } from './part-wording.ts';
import { endOfCommand } from './session-section.ts';

/** What ended the session, or what it suffered from. */
export type VerdictKind = 'healthy' | 'pressure' | Exclude<DeathVerdict, 'exited'>;

export interface Verdict {
  kind: VerdictKind;
  /** One sentence. */
  summary: string;
  evidence: string[];
  /** What to do, in the order of what helps most; empty when there is nothing to advise. */
  advice: string[];
}

/**
 * Below a tenth of the limit one more page of a site is more than what is left. In measured runs this
 * bound was passed 0.6 to 12 s before every kill or stall, and never in a benign run.
 */
export const lowHeadroomRatio = 0.1;

/** All tasks waiting for memory for a twentieth of 10 s or more: far above what a healthy system has. */
export const highStallRatio = 0.05;

export type Finding = Pick<Verdict, 'kind'> & { clause: string };

/**
 * The worst that is known, in this order: a kill by the kernel, a death of known cause, a stall,
 * pressure, an end that nobody recorded, nothing. Never a guess: what the evidence does not tell is `unknown`.
 * `emptyFile` is the file when not one sample is in it.
 */
export function judge(
  grounds: Grounds,
  emptyFile: EmptyFile | null,
): Pick<Verdict, 'kind' | 'summary'> {
  const { kind, clause } = findingOf(grounds, emptyFile);
  return { kind, summary: sentence([clause, ...remarks(grounds)]) };
}

/** The judgement, what it stands on, and what to do. */
export function verdictOf(findings: Findings, emptyFile: EmptyFile | null): Verdict {
  const { kind, clause } = findingOf(findings, emptyFile);
  const summary = sentence([clause, ...growthClause(kind, findings), ...remarks(findings)]);
  return { kind, summary, evidence: evidenceFor(findings), advice: adviceFor(kind, findings) };
}

function findingOf(grounds: Grounds, emptyFile: EmptyFile | null): Finding {
  return (
    emptyFinding(grounds, emptyFile) ??
    killFinding(grounds) ??
    deathFinding(grounds) ??
    guestHeapFinding(grounds) ??
    pressureFinding(grounds) ??
    unexplainedFinding(grounds) ??
    healthyFinding(grounds)
  );
}

function sentence(clauses: readonly string[]): string {
  return `${clauses.join('; ')}.`.replace(/^the /, 'The ');
}

function growthClause(kind: VerdictKind, { growth }: Findings): string[] {
  if (kind !== 'healthy' || growth.atEnd === null) return [];
  return [
    `but memory grew ${endGrowthWords(growth.atEnd)}, so that this size cannot be called enough`,
  ];
}

function emptyFinding(grounds: Grounds, emptyFile: EmptyFile | null): Finding | null {
  if (grounds.coverage.samples > 0) return null;
  const clause =
    emptyFile === null
      ? 'There is no sample in this range, so nothing can be said'
      : emptyFileClause(grounds, emptyFile);
  return { kind: 'unknown', clause };
}

function emptyFileClause({ notes, session }: Grounds, emptyFile: EmptyFile): string {
  if (notes.some(({ code }) => code === 'salvaged')) {
    return 'No sample is in this file: none was left in the damaged one that it was saved from';
  }
  if (session.endReason !== 'lost') return 'No sample is in this file';
  return emptyFile.hasLog
    ? 'No sample is in this file, nor in its log: its recorder was killed before the first one was written, or its disk was full'
    : `No sample is in this file: if it was copied from a running or crashed recorder, its newest samples are in ${emptyFile.name}-wal: copy both`;
}

function killFinding(grounds: Grounds): Finding | null {
  const clause = describeKills(grounds);
  return clause === null ? null : { kind: 'kernel_oom', clause };
}

/** The VM went on, but one of its guests had no room left. */
function guestHeapFinding({ agentOs, memory }: Grounds): Finding | null {
  const warning = heapWarningOf(agentOs);
  if (warning === null) return null;
  const { likelyGuest, capacity, timeUnixMs } = warning;
  const who =
    likelyGuest === null
      ? 'A guest of the VM'
      : `Most likely ${guestName(likelyGuest)}, which ended with 1 right after,`;
  const clause = `${who} met the limit of its JavaScript heap (${formatBytes(capacity)}) at ${formatInstant(timeUnixMs)}; at least ${formatRatio(memory.headroomMinRatio)} of the memory was available, so more memory does not help`;
  return { kind: 'v8_heap_limit', clause };
}

function pressureFinding({ deaths, memory, pressure }: Grounds): Finding | null {
  const ratio = memory.headroomMinRatio;
  const stall = pressure.memoryFullRatioMax;
  const clauses: string[] = [];
  if (ratio !== null && ratio < lowHeadroomRatio) {
    clauses.push(
      `Memory was nearly used up: headroom fell to ${formatBytes(memory.headroomMinBytes)} (${formatRatio(ratio)} of ${formatBytes(memory.limitBytes)}) at ${formatInstant(memory.headroomMinUnixMs)}`,
    );
  }
  if (stall !== null && stall >= highStallRatio) {
    const start = clauses.length === 0 ? 'All' : 'all';
    clauses.push(
      `${start} processes stood still waiting for memory for up to ${formatRatio(stall)} of the time (10 s before ${formatInstant(pressure.memoryFullMaxUnixMs)})`,
    );
  }
  if (clauses.length === 0) return null;
  const death = deaths.find((candidate) => candidate.verdict === 'unknown');
  const end = death === undefined ? [] : [describeUnknown(death)];
  return { kind: 'pressure', clause: [clauses.join(', and '), ...end].join('; ') };
}

function unexplainedFinding(grounds: Grounds): Finding | null {
  const { coverage, deaths, memory, oomCounts, oomKills, session } = grounds;
  const headroom = `the lowest headroom was ${formatRatio(memory.headroomMinRatio)}`;
  const death = deaths.find((candidate) => candidate.verdict === 'unknown');
  if (death !== undefined) {
    const clause = `${describeUnknown(death)}; ${headroom}`;
    return { kind: 'unknown', clause };
  }
  if (grounds.agentOs?.end?.how === 'lost') {
    return { kind: 'unknown', clause: `The VM was lost, and why is not recorded; ${headroom}` };
  }
  // The cgroup's counter would tell whether a kill that nobody can be tied to hit this session.
  const strangers =
    oomKills.filter((kill) => kill.attribution === 'none').length + oomCounts.withoutRecord;
  if (oomCounts.cgroup === null && strangers > 0) {
    const clause = `The kernel made ${formatCount(strangers, 'OOM kill')} in this time, and whether this session was hit is not known; ${headroom}`;
    return { kind: 'unknown', clause };
  }
  // A part that ends before is not what breaks off.
  if (session.endReason === 'lost' && endsWithRecording(grounds)) {
    const clause = `No memory problem up to ${formatInstant(coverage.lastUnixMs)}, where the recording breaks off; ${headroom}`;
    return { kind: 'unknown', clause };
  }
  if (memory.headroomMinRatio === null) {
    return { kind: 'unknown', clause: 'How much memory was available could not be read here' };
  }
  return null;
}

function endsWithRecording({ part }: Grounds): boolean {
  return part === null || part.toUnixMs >= part.recordedToUnixMs;
}

function healthyFinding({ memory, session }: Grounds): Finding {
  const headroom = `${formatRatio(memory.headroomMinRatio)} (${formatBytes(memory.headroomMinBytes)} of ${formatBytes(memory.limitBytes)})`;
  const end = commandClause(session) ?? rootClause(session);
  const none = end === null ? 'No' : `${end}; no`;
  return {
    kind: 'healthy',
    clause: `${none} memory problem was seen: the lowest headroom was ${headroom}`,
  };
}

/** Null when the command succeeded, and when there was none. */
function commandClause({ command, stopAskedUnixMs }: Grounds['session']): string | null {
  if (command === null || command.exitCode === 0) return null;
  const words = endOfCommand(command);
  if (words === null) return null;
  if (stopAskedUnixMs !== null) return `the command was stopped by a signal (${words})`;
  return command.exitCode === null
    ? `the command was ended with ${words}`
    : `the command failed with ${words}`;
}

/** Null while it lives, and when there is none: its end is what somebody who gave --pid asks about. */
function rootClause({ root }: Grounds['session']): string | null {
  if (root === null || root.endedUnixMs === null) return null;
  const how = endOfCommand(root);
  const who = root.comm === null ? `pid ${root.pid}` : `${root.comm} (pid ${root.pid})`;
  return `${who} ended at ${formatInstant(root.endedUnixMs)}${how === null ? '' : ` with ${how}`}`;
}

function describeUnknown(death: DeathReport): string {
  const when = `${deathName(death)} ended at ${formatInstant(death.timeUnixMs)}`;
  if (death.signal !== null)
    return `${when} with ${death.signal}, and what made it is not recorded`;
  if (death.exitCode === null) return `${when}, and how is not recorded`;
  return `${when} with exit code ${death.exitCode}, which does not tell what ended it`;
}

const scopeWords: Readonly<Record<LimitSource, string>> = {
  machine: 'the machine',
  cgroup_v1: 'the memory cgroup',
  cgroup_v2: 'the memory cgroup',
};

/** What limits every sentence about this recording. */
function remarks(grounds: Grounds): string[] {
  const { agentOs, browser, coverage, isKernelLogRead, memory, oomCounts, part, session } = grounds;
  const lines = part === null ? [] : [partClause(part)];
  if (coverage.samples === 0) return [...lines, ...endRemarks(grounds)];
  if (agentOs !== null) {
    lines.push(...agentOsRemarks(agentOs, grounds));
  } else if (browser.processesMax === 0) {
    lines.push(
      `no browser process was seen, the figures are those of ${scopeWords[memory.limitSource]}`,
    );
  }
  if (session.machine.sampleSource === 'portable') {
    lines.push('this system has no /proc, so OOM kills, PSS and pressure are not known');
  } else if (!isKernelLogRead && oomCounts.machine === null && oomCounts.cgroup === null) {
    lines.push('an OOM kill could not have been seen here');
  }
  return [...lines, ...endRemarks(grounds)];
}

function agentOsRemarks(agentOs: AgentOsReport, { deaths, memory }: Grounds): string[] {
  const isTold = deaths.some(
    ({ pid, verdict }) => pid === agentOs.sidecar.pid && verdict !== 'exited',
  );
  const loss = lossClause(agentOs, { isTold });
  const heap = heapWarningOf(agentOs);
  const warning = agentOs.limitWarnings.find(
    (one) => one.limit !== heap?.limit && (one.fillRatio ?? 0) >= 1,
  );
  return [
    ...(loss === null ? [] : [loss]),
    ...(warning === undefined ? [] : [`a limit of the VM was met (${warningWords(warning)})`]),
    `the memory is that of ${scopeWords[memory.limitSource]}, of which the VM is a part`,
  ];
}

function endRemarks({ session }: Grounds): string[] {
  if (session.isLive) return ['the recording is still running'];
  if (session.endReason === 'copied') return ['the recording went on when this copy was made'];
  if (session.endReason !== 'lost') return [];
  return [
    'the recorder ended without a word (it was killed, or its machine went away), or this is a copy from while it ran',
  ];
}
