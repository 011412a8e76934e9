import type { Gap, Note } from '../model/event.ts';
import { fileError, sqliteCode } from './driver.ts';

export interface WriteFailure {
  reason: 'busy' | 'full' | 'failed';
  /** The driver's message. */
  message: string;
}

/** A stretch in which samples waited to be written. */
export interface Outage extends WriteFailure {
  sinceUnixMs: number;
  /** Samples that waited and are written now. */
  keptCount: number;
  lostCount: number;
  /** Those of the lost that came after the last one that was written. */
  lostSinceWritten: number;
}

interface Moment {
  timeUnixMs: number;
  monotonicMs: number;
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

/** What the recording says of an outage, with the last of the samples that waited. */
export function outageNote(outage: Outage, untilUnixMs: number): Note {
  const { reason, message, sinceUnixMs, keptCount, lostCount } = outage;
  const since = new Date(sinceUnixMs).toISOString();
  const until = new Date(untilUnixMs).toISOString();
  return {
    kind: 'note',
    timeUnixMs: untilUnixMs,
    code: reason === 'busy' ? 'store_busy' : 'store_full',
    message:
      `the file could not be written from ${since} to ${until} (${message}): ` +
      `${keptCount + 1} samples were kept in memory, ${lostCount} were lost`,
  };
}

/** The samples that were lost before this one, as a gap; empty when there are none. */
export function lossBefore(sample: Moment, outage: Outage, lastWritten: Moment | null): Gap[] {
  if (outage.lostSinceWritten === 0 || lastWritten === null) return [];
  return [
    {
      kind: 'gap',
      gap: 'lost',
      fromUnixMs: lastWritten.timeUnixMs,
      toUnixMs: sample.timeUnixMs,
      timeUnixMs: sample.timeUnixMs,
      wallMs: sample.timeUnixMs - lastWritten.timeUnixMs,
      monotonicMs: sample.monotonicMs - lastWritten.monotonicMs,
    },
  ];
}
