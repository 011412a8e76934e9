import { fileError, openDatabase, sqliteCode } from './driver.ts';
import { openForReading } from './open-for-reading.ts';
import { readingError } from './reading-error.ts';
import { isBeingRecorded, isRecorderAlive, type RecorderIdentity } from './recorder-lock.ts';
import { sealFile } from './seal/seal-file.ts';
import { markCopied, readSession } from './session-row.ts';

export interface SnapshotOptions {
  /** Where a file is copied to that cannot be read in place; default: the system's. */
  temporaryFolder?: string;
  /** Whether the recorder that the file names still runs; default: asks the kernel. */
  isAlive?: (recorder: RecorderIdentity) => boolean;
}

/**
 * Makes a consistent copy of a recording in one file that needs no log, also while a recorder writes
 * it, which is not held up; the copy then says that the recording went on. Sealed, so that a byte
 * that changes on the way to somebody is found. `out` is an empty file or none, and is on the disk
 * when this returns. Errors: see {@link openForReading}; STORE_FULL, FILE_NOT_WRITABLE.
 */
export function snapshot(path: string, out: string, options: SnapshotOptions = {}): void {
  const isLive = copy(path, out, options);
  if (isLive) tellOfLife(out);
  sealFile(out);
}

/** Whether a recorder writes the file. */
function copy(path: string, out: string, options: SnapshotOptions): boolean {
  const { db, close } = openForReading(path, options.temporaryFolder);
  try {
    const session = readSession(db) ?? { recorder: null };
    const isLive = isBeingRecorded(path, session, options.isAlive ?? isRecorderAlive);
    // Every page is read once and written once: what a larger cache costs is new memory, which made
    // this twice as dear with the 16 MB that better-sqlite3 begins with.
    db.pragma('cache_size = -512');
    // Reads all of it in one transaction and leaves free pages out.
    db.prepare('VACUUM INTO ?').run(out);
    return isLive;
  } catch (error) {
    // The rest is about what is written.
    const isOfSource = /^SQLITE_(CORRUPT|NOTADB|BUSY|ERROR)/.test(sqliteCode(error) ?? '');
    throw isOfSource || sqliteCode(error) === null
      ? readingError(error, path)
      : fileError(error, out);
  } finally {
    close();
  }
}

/** The recorder may have ended the recording while it was copied: then the copy has its end. */
function tellOfLife(out: string): void {
  const db = openDatabase(out, { mode: 'write', busyTimeoutMs: 0 });
  try {
    if (readSession(db)?.facts.endedUnixMs === null) markCopied(db);
  } catch (error) {
    throw fileError(error, out);
  } finally {
    db.close();
  }
}
