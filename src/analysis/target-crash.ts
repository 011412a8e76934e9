import type { TargetCrash } from '../model/page-event.ts';
import type { DeathCause } from './death-cause.ts';
import { isMember } from './membership.ts';
import type { ProcessReport } from './processes.ts';

// SIGILL, SIGABRT, SIGBUS, SIGFPE and SIGSEGV of Linux.
const crashSignalNumbers = [4, 6, 7, 8, 11];

/**
 * What the browser said of the end of a page's process, beside what is known of it otherwise. Where
 * nothing else is, it is the only word: `crashed` with the signal of a fault is a crash; `killed` says
 * nothing of the sender, and `crashed` 5 has several causes.
 */
export function withTargetCrash(
  cause: DeathCause | null,
  process: ProcessReport,
  crashes: readonly TargetCrash[],
): DeathCause | null {
  const crash = crashes.findLast(
    ({ pid, startTicks }) => pid === process.pid && startTicks === process.startTicks,
  );
  if (crash === undefined || !isMember(process)) return cause;
  const { status, errorCode, url } = crash;
  const words = `the browser (CDP) says of its page ${url ?? 'without an address'}: ${status}, error code ${errorCode}`;
  if (cause !== null) return { ...cause, evidence: [...cause.evidence, words] };
  if (process.exit === null) return null;
  const isCrash = status === 'crashed' && crashSignalNumbers.includes(errorCode);
  const verdict = isCrash ? 'crash' : 'unknown';
  return { verdict, certainty: 'recorded', evidence: [words] };
}
