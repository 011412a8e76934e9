import type { Note, OomCounterJump, ProcessExit } from '../model/event.ts';
import { gapThresholdMs } from '../model/gap.ts';
import type { TargetCrash } from '../model/page-event.ts';
import { formatInstant } from './format.ts';
import type { KernelLog } from './kernel-log.ts';
import { devShmShortageOf, lastWordOf } from './last-words.ts';
import { isCommand, isMember } from './membership.ts';
import { isOutside, type OomCounts, type OomKillReport } from './oom-kills.ts';
import { hasEnded, type ProcessReport } from './processes.ts';
import type { SessionSection } from './session-section.ts';
import { type StallReport, stallAround, stallWords } from './stall.ts';
import { daemonBeside, type OomDaemons, type ToldKill, toldKillOf } from './userspace-oom.ts';

/** What can have ended a process; docs/verdicts.md says what each stands on. */
export const deathVerdicts = [
  'kernel_oom',
  'memory_stall',
  'v8_heap_limit',
  'chromium_oom',
  'shm_full',
  'crash',
  'killed',
  'userspace_oom',
  'exited',
  'unknown',
] as const;

export type DeathVerdict = (typeof deathVerdicts)[number];

/** What ended a process, and from what that is known. */
export interface DeathCause {
  verdict: DeathVerdict;
  /** `recorded`: the kernel, or who did it, said so. `inferred`: concluded from the evidence. */
  certainty: 'recorded' | 'inferred';
  evidence: string[];
}

export interface DeathContext extends KernelLog {
  session: SessionSection;
  intervalMs: number;
  processes: readonly ProcessReport[];
  kills: readonly OomKillReport[];
  counts: OomCounts;
  counterJumps: readonly OomCounterJump[];
  /** How the recorded command ended. */
  command: ProcessExit | null;
  /** How the sidecar of the recorded VM ended. */
  sidecar: ProcessExit | null;
  daemons: OomDaemons;
  stalls: readonly StallReport[];
  notes: readonly Note[];
  /** What the browser said of the ends of pages' processes; none where pages were not watched. */
  targetCrashes: readonly TargetCrash[];
}

const crashSignals = ['SIGSEGV', 'SIGBUS', 'SIGILL', 'SIGABRT', 'SIGFPE', 'SIGSYS'];
const politeSignals = ['SIGTERM', 'SIGINT', 'SIGHUP'];
// `chromium --version`, or a second start that hands its page to the first, is no browser that died.
const shortLifeMs = 10_000;
// Killed as a group, all end at once, and a browser of gigabytes takes longest to be torn down. A child
// that went before that died by itself; one that went later was orphaned.
const familyEndMs = 2_000;
const stopReason = 'headroom was asked to end, and passed the signal on';

/**
 * The cause of an end that no OOM kill is tied to; null: no death. A renderer that goes away is a
 * closed tab as long as nothing says otherwise, and how strangers end is no matter here.
 */
export function causeOfEnd(process: ProcessReport, context: DeathContext): DeathCause | null {
  const { command, sidecar } = context;
  const isSubject = isMember(process) || isCommand(process, command) || isCommand(process, sidecar);
  if (!isSubject) return null;
  const signal = process.exit?.signal ?? null;
  if (signal !== null) {
    const told = toldKillOf(process, context.daemons, context.intervalMs);
    if (told !== null) return byTold(told, signal);
    return isOrderlyEndOfChild(signal, process, context)
      ? null
      : bySignal(signal, process, context);
  }
  if (!isBrowser(process, context.processes) || !hasEnded(process)) return null;
  const code = process.exit?.code ?? null;
  return code === null ? byAbsence(process, context) : byExitCode(code);
}

/**
 * Chromium ends the renderer of a closed tab by SIGTERM, and all its children when it ends itself:
 * by whatever signal, that is no death of theirs.
 */
function isOrderlyEndOfChild(
  signal: string,
  process: ProcessReport,
  { processes }: DeathContext,
): boolean {
  if (process.browserPid === null || process.browserPid === process.pid) return false;
  if (politeSignals.includes(signal)) return true;
  const endUnixMs = endOf(process);
  const browser = processes.find(
    (other) =>
      other.pid === process.browserPid &&
      other.exit !== null &&
      other.lastUnixMs <= endUnixMs + familyEndMs,
  );
  return signal === 'SIGKILL' && browser !== undefined;
}

function bySignal(signal: string, process: ProcessReport, context: DeathContext): DeathCause {
  const evidence = [`signal:${signal}`];
  if (crashSignals.includes(signal)) return { verdict: 'crash', certainty: 'recorded', evidence };
  if (signal === 'SIGTRAP') return byTrap(process, evidence, context);
  if (signal === 'SIGKILL') return bySigkill(process, context);
  if (politeSignals.includes(signal) && isEndOfRecording(process, context)) {
    const reason = 'stopped when the recording ended';
    return { verdict: 'exited', certainty: 'recorded', evidence: [...evidence, reason] };
  }
  if (politeSignals.includes(signal) && isAfterStop(process, context)) {
    return { verdict: 'exited', certainty: 'recorded', evidence: [...evidence, stopReason] };
  }
  return bySomebody(process, evidence, context);
}

/** Chromium ends itself: for want of memory of one kind or another, or in any deliberate crash. */
function byTrap(process: ProcessReport, evidence: string[], context: DeathContext): DeathCause {
  const word = lastWordOf(process, context) ?? devShmShortageOf(process, context);
  if (word !== null) return { ...word, evidence: [...evidence, ...word.evidence] };
  const reason =
    'Chromium ends itself with SIGTRAP when the V8 heap or its own allocator is exhausted, and in deliberate crashes: which of them is not recorded';
  return { verdict: 'unknown', certainty: 'recorded', evidence: [...evidence, reason] };
}

function byTold({ daemon, line, timeUnixMs }: ToldKill, signal: string): DeathCause {
  const reason = `${daemon} wrote at ${formatInstant(timeUnixMs)}: ${line}`;
  return {
    verdict: 'userspace_oom',
    certainty: 'recorded',
    evidence: [`signal:${signal}`, reason],
  };
}

/**
 * Not the kernel. A daemon that ends processes when memory is short is one only while it is short; and
 * whoever ends a browser that has stood still for want of memory only buries it.
 */
function bySomebody(process: ProcessReport, evidence: string[], context: DeathContext): DeathCause {
  const daemon = daemonBeside(process, context.daemons, context.intervalMs);
  if (daemon === null) {
    const stall = stallAround(endOf(process), context.stalls);
    return stall === null
      ? { verdict: 'killed', certainty: 'recorded', evidence }
      : {
          verdict: 'memory_stall',
          certainty: 'inferred',
          evidence: [...evidence, stallWords(stall)],
        };
  }
  const shortage = context.daemons.shortageAt(endOf(process));
  return shortage === null
    ? { verdict: 'killed', certainty: 'recorded', evidence: [...evidence, daemon] }
    : {
        verdict: 'userspace_oom',
        certainty: 'inferred',
        evidence: [...evidence, daemon, shortage],
      };
}

// Who sent it: the kernel, if its log or its counter moved in the same moment; else somebody.
function bySigkill(process: ProcessReport, context: DeathContext): DeathCause {
  const evidence = ['signal:SIGKILL'];
  const kill = context.kills.find(
    (candidate) =>
      candidate.process === null &&
      !isOutside(candidate) &&
      candidate.comm === process.comm &&
      isAround(candidate.timeUnixMs, process, context),
  );
  if (kill !== undefined) {
    return {
      verdict: 'kernel_oom',
      certainty: 'inferred',
      evidence: [...evidence, ...kill.evidence],
    };
  }
  const jump = context.counterJumps.find((event) => isAround(event.timeUnixMs, process, context));
  if (jump !== undefined && context.counts.withoutRecord > 0) {
    const reason = `oom_kill counter of the ${jump.counter} +${jump.count} at ${formatInstant(jump.timeUnixMs)}, without a record`;
    return { verdict: 'kernel_oom', certainty: 'inferred', evidence: [...evidence, reason] };
  }
  const silence = silenceOfKernel(context);
  if (silence === null) return { verdict: 'unknown', certainty: 'recorded', evidence };
  // A test runner that is asked to end kills its browser.
  if (!isCommand(process, context.command) && isAfterStop(process, context)) {
    return { verdict: 'exited', certainty: 'inferred', evidence: [...evidence, stopReason] };
  }
  return bySomebody(process, [...evidence, silence], context);
}

function byExitCode(code: number): DeathCause {
  const evidence = [`exit code ${code}`];
  if (code < 128) return { verdict: 'exited', certainty: 'recorded', evidence };
  const reason = `a shell writes ${code} for the end by signal ${code - 128}, which says nothing of its sender`;
  return { verdict: 'unknown', certainty: 'recorded', evidence: [...evidence, reason] };
}

function byAbsence(process: ProcessReport, context: DeathContext): DeathCause {
  const { session, processes } = context;
  const command = processes.find((other) => isCommand(other, context.command));
  if (session.endReason === 'command_exited' && command?.exit?.code === 0) {
    const reason = `${command.comm} (pid ${command.pid}), which was recorded, exited with 0`;
    return { verdict: 'exited', certainty: 'inferred', evidence: [reason] };
  }
  if (isAfterStop(process, context)) {
    return { verdict: 'exited', certainty: 'inferred', evidence: [stopReason] };
  }
  const last = `last seen at ${formatInstant(process.lastUnixMs)}`;
  const silence = silenceOfKernel(context);
  const evidence = silence === null ? [last] : [last, silence];
  const stall = silence === null ? null : stallAround(endOf(process), context.stalls);
  if (stall === null) return { verdict: 'unknown', certainty: 'inferred', evidence };
  return {
    verdict: 'memory_stall',
    certainty: 'inferred',
    evidence: [...evidence, stallWords(stall)],
  };
}

/** What speaks against a kill by the kernel; null when nothing here could have known of one. */
function silenceOfKernel(context: DeathContext): string | null {
  const { counts, isKernelLogRead, kernelLogRecordsLost } = context;
  if (counts.withoutRecord > 0) return null;
  if (counts.machine === 0) return 'oom_kill counter of the machine did not move';
  if (isKernelLogRead && kernelLogRecordsLost === 0) return 'no OOM kill of it in the kernel log';
  return counts.cgroup === 0 ? 'oom_kill counter of the cgroup did not move' : null;
}

/** A browser that was used: `--version`, or a start that hands its page to another, is none. */
export function isBrowser(process: ProcessReport, processes: readonly ProcessReport[]): boolean {
  if (process.role !== 'browser' && process.pid !== process.browserPid) return false;
  if (process.lastUnixMs - process.firstUnixMs >= shortLifeMs) return true;
  return processes.some((other) => other !== process && other.browserPid === process.pid);
}

function isAround(
  timeUnixMs: number | null,
  process: ProcessReport,
  { intervalMs }: DeathContext,
): boolean {
  const endUnixMs = endOf(process);
  const slackMs = gapThresholdMs(intervalMs);
  return (
    timeUnixMs !== null &&
    timeUnixMs >= process.lastUnixMs - slackMs &&
    timeUnixMs <= endUnixMs + slackMs
  );
}

function isEndOfRecording(process: ProcessReport, { session, intervalMs }: DeathContext): boolean {
  const { endReason, endedUnixMs } = session;
  if (endedUnixMs === null || (endReason !== 'signal' && endReason !== 'duration')) return false;
  const exitUnixMs = endOf(process);
  return exitUnixMs >= endedUnixMs - gapThresholdMs(intervalMs);
}

function isAfterStop(process: ProcessReport, { session, intervalMs }: DeathContext): boolean {
  if (session.stopAskedUnixMs === null) return false;
  const exitUnixMs = endOf(process);
  return exitUnixMs >= session.stopAskedUnixMs - gapThresholdMs(intervalMs);
}

function endOf(process: ProcessReport): number {
  return process.exit?.timeUnixMs ?? process.lastUnixMs;
}
