import { tmpdir } from 'node:os';
import { fileError, sqliteCode } from './driver.ts';
import { openForReading } from './open-for-reading.ts';
import { sealFile } from './seal/seal-file.ts';

export interface SnapshotOptions {
  /** Where a file is copied to that cannot be read in place; default: the system's. */
  temporaryFolder?: string;
}

/**
 * Makes a consistent copy of a recording in one file that needs no log, also while a recorder writes
 * it, which is not held up; sealed, so that a byte that changes on the way to somebody is found.
 * `out` is an empty file or none, and is on the disk when this returns. Errors: see
 * {@link openForReading}; STORE_FULL, FILE_NOT_WRITABLE.
 */
export function snapshot(path: string, out: string, options: SnapshotOptions = {}): void {
  const { db, close } = openForReading(path, options.temporaryFolder ?? tmpdir());
  try {
    // Every page is read once and written once: what a larger cache costs is new memory, which made
    // this twice as dear with the 16 MB that better-sqlite3 begins with.
    db.pragma('cache_size = -512');
    // Reads all of it in one transaction and leaves free pages out.
    db.prepare('VACUUM INTO ?').run(out);
  } catch (error) {
    // The rest is about what is written.
    const isOfSource = /^SQLITE_(CORRUPT|NOTADB|BUSY|ERROR)/.test(sqliteCode(error) ?? '');
    throw fileError(error, isOfSource ? path : out);
  } finally {
    close();
  }
  sealFile(out);
}
