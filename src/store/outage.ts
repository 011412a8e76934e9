import type { RecordingEvent } from '../model/event.ts';
import { fileError, sqliteCode } from './driver.ts';

export interface WriteFailure {
  reason: 'busy' | 'full' | 'failed';
  /** The driver's message. */
  message: string;
}

/** A stretch in which nothing could be written. */
export interface Outage extends WriteFailure {
  sinceUnixMs: number;
  lostCount: number;
}

/**
 * What a failed transaction means for the recorder, which goes on in any case. An error that is the
 * program's own, such as a figure of the wrong type, is thrown.
 */
export function writeFailure(error: unknown, path: string): WriteFailure {
  const code = sqliteCode(error);
  if (code === null || !environmentCodes.test(code)) throw fileError(error, path);
  const message = error instanceof Error ? error.message : String(error);
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) return { reason: 'busy', message };
  // Room for the shared index of the log is asked for at once, in blocks.
  if (/^SQLITE_(FULL|IOERR_SHMSIZE)/.test(code)) return { reason: 'full', message };
  return { reason: 'failed', message };
}

const environmentCodes =
  /^SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|CORRUPT|NOTADB|PROTOCOL|NOMEM|PERM)/;

/** What the recording says of an outage that is over. */
export function outageEvents(outage: Outage, now: OutageEnd): RecordingEvent[] {
  const { reason, message, sinceUnixMs, lostCount } = outage;
  const since = new Date(sinceUnixMs).toISOString();
  const until = new Date(now.untilUnixMs).toISOString();
  const events: RecordingEvent[] = [
    {
      kind: 'note',
      timeUnixMs: now.untilUnixMs,
      code: reason === 'busy' ? 'store_busy' : 'store_full',
      message:
        `the file could not be written from ${since} to ${until} (${message}): ` +
        `${now.keptCount} samples were kept in memory, ${lostCount} were lost`,
    },
  ];
  const { lastWritten, firstKept } = now;
  if (lostCount > 0 && lastWritten !== null) {
    events.push({
      kind: 'gap',
      gap: 'lost',
      fromUnixMs: lastWritten.timeUnixMs,
      toUnixMs: firstKept.timeUnixMs,
      timeUnixMs: firstKept.timeUnixMs,
      wallMs: firstKept.timeUnixMs - lastWritten.timeUnixMs,
      monotonicMs: firstKept.monotonicMs - lastWritten.monotonicMs,
    });
  }
  return events;
}

interface OutageEnd {
  untilUnixMs: number;
  keptCount: number;
  lastWritten: { timeUnixMs: number; monotonicMs: number } | null;
  firstKept: { timeUnixMs: number; monotonicMs: number };
}
