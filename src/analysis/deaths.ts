import type { ProcessRole } from '../model/process-role.ts';
import { causeOfEnd, type DeathCause, type DeathContext } from './death-cause.ts';
import type { OomKillReport } from './oom-kills.ts';
import type { ProcessReport } from './processes.ts';
import { withServiceCrash } from './service-crash.ts';
import { withTargetCrash } from './target-crash.ts';

/** The end of the session's browser, and of any process of the session of which it is known what ended it. */
export interface DeathReport extends DeathCause {
  timeUnixMs: number;
  pid: number;
  role: ProcessRole;
  comm: string;
  signal: string | null;
  exitCode: number | null;
}

/**
 * A renderer that goes away is a closed tab as long as nothing says otherwise, and no death. A browser
 * that goes away is one, of unknown cause where the cause is not recorded: a shell's exit code 137 and
 * a vanished process are no proof of an OOM kill. The ends of somebody else's browsers are no matter here.
 */
export function deathReports(context: DeathContext): DeathReport[] {
  return context.processes
    .map((process) => deathOf(process, context))
    .filter((death) => death !== null)
    .sort((a, b) => a.timeUnixMs - b.timeUnixMs || a.pid - b.pid);
}

function deathOf(process: ProcessReport, context: DeathContext): DeathReport | null {
  const kills = context.kills.filter((candidate) => candidate.inSession);
  const kill = kills.find((candidate) => isVictim(process, candidate)) ?? null;
  const known = kill !== null ? byKill(kill) : causeOfEnd(process, context);
  const cause = withServiceCrash(
    withTargetCrash(known, process, context.targetCrashes),
    process,
    context,
  );
  if (cause === null) return null;
  return {
    timeUnixMs: kill?.timeUnixMs ?? process.exit?.timeUnixMs ?? process.lastUnixMs,
    pid: process.pid,
    role: process.role,
    ...cause,
    comm: process.comm,
    signal: process.exit?.signal ?? (kill === null ? null : 'SIGKILL'),
    exitCode: process.exit?.code ?? null,
  };
}

function isVictim(process: ProcessReport, kill: OomKillReport): boolean {
  return kill.process?.pid === process.pid && kill.process.startTicks === process.startTicks;
}

function byKill(kill: OomKillReport): DeathCause {
  if (kill.attribution === 'pid') {
    return { verdict: 'kernel_oom', certainty: 'recorded', evidence: kill.evidence };
  }
  const reason = `matched by name, size and time: the kernel's log names pid ${kill.pid}, which is not its pid here`;
  return { verdict: 'kernel_oom', certainty: 'inferred', evidence: [...kill.evidence, reason] };
}
