import { HeadroomError } from '../model/errors.ts';
import { openDatabase, sqliteCode } from './driver.ts';
import { rejoinLog } from './rejoin-log.ts';
import { sealFile } from './seal/seal-file.ts';
import { standAlone } from './stand-alone.ts';

/**
 * Where a recording is after its end. `log`: what is not in the file is in its log, which is not beside
 * it; `path` is null where nobody knows what became of the file.
 */
export type Ending =
  | { place: 'name' }
  | { place: 'moved'; path: string }
  | { place: 'log'; path: string | null; log: string }
  | { place: 'nowhere' };

interface Moved {
  path: string;
  log: string;
  /** Of the newest sample that is in the two. */
  lastSequence: number;
}

// Who reads may do so for long; then the log stays beside the file.
const busyTimeoutMs = 200;

/**
 * Brings a file that another program has moved and its log together, as of any recording that ended,
 * and looks whether the newest sample is there. Where somebody else has made a log for it, both stay
 * as they are.
 */
export function endMoved({ path, log, lastSequence }: Moved): Ending {
  if (!rejoinLog(path, log)) return { place: 'log', path, log };
  if (attempt(() => becomeOne(path, lastSequence)) !== true) {
    return { place: 'log', path, log: `${path}-wal` };
  }
  attempt(() => sealFile(path));
  return { place: 'moved', path };
}

/** False when they do not end with that sample. */
function becomeOne(path: string, lastSequence: number): boolean {
  const db = openDatabase(path, { mode: 'write', busyTimeoutMs });
  try {
    const found = db.prepare('SELECT max(sequence) FROM tick').pluck().get() ?? 0;
    if (found !== lastSequence) return false;
    attempt(() => standAlone(db));
    return true;
  } finally {
    db.close();
  }
}

/** Null when the file, its disk or another program was in the way. */
function attempt<T>(act: () => T): T | null {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof HeadroomError) && sqliteCode(error) === null) throw error;
    return null;
  }
}
