import type { Database } from './driver.ts';

/**
 * With a rollback journal instead of the log a reader needs no second file and no right to make one,
 * so that a recording can be read from read-only media.
 */
export function standAlone(db: Database): void {
  db.pragma('journal_mode = DELETE');
}
