import type { Database } from './driver.ts';
import { migrateFrom1 } from './migrate-from-1.ts';
import { schemaVersion } from './schema.ts';

/** The version of the tables of a file; 0 in one that has none. */
export function schemaVersionOf(db: Database): number {
  return Number(db.pragma('user_version', { simple: true }));
}

/**
 * Brings the tables of an earlier version to the present one; those that are up to date stay as they
 * are, also those of format 3, which has all of format 2. Belongs inside a transaction: it changes all or nothing.
 */
export function migrate(db: Database): void {
  if (schemaVersionOf(db) === 1) migrateFrom1(db);
  if (schemaVersionOf(db) < schemaVersion) {
    throw new Error(`no way from format ${schemaVersionOf(db)} to ${schemaVersion}`);
  }
}
