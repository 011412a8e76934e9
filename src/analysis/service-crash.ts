import { gapThresholdMs } from '../model/gap.ts';
import { crashedPid } from '../model/service-crash.ts';
import type { DeathCause, DeathContext } from './death-cause.ts';
import type { ProcessReport } from './processes.ts';

// It is told when whoever supervises the service has noticed.
const noticeMs = 10_000;

/**
 * What the session's telemetry said of the end of a process, beside what is known of it otherwise: that a
 * service ended unasked. It says nothing of the cause, so that the verdict stays.
 */
export function withServiceCrash(
  cause: DeathCause | null,
  process: ProcessReport,
  { notes, intervalMs }: Pick<DeathContext, 'notes' | 'intervalMs'>,
): DeathCause | null {
  if (cause === null) return null;
  const endUnixMs = process.exit?.timeUnixMs ?? process.lastUnixMs;
  const slackMs = gapThresholdMs(intervalMs) + noticeMs;
  const crash = notes.find(
    (note) => crashedPid(note) === process.pid && Math.abs(note.timeUnixMs - endUnixMs) <= slackMs,
  );
  if (crash === undefined) return cause;
  return { ...cause, evidence: [...cause.evidence, crash.message] };
}
