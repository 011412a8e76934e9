import { existsSync } from 'node:fs';
import type { EarlierLog } from '../model/earlier-log.ts';
import { schemaVersionOf } from './migrate.ts';
import { openForChange } from './open-for-change.ts';
import { readingError } from './reading-error.ts';
import { schemaVersion } from './schema.ts';

const busyTimeoutMs = 200;

/**
 * What earlier runs left of the kernel's log in a recording that is to go on. Null where there is none,
 * or nothing in it since the machine was booted, when both numbers began anew. Errors as of opening it.
 */
export function readEarlierRun(path: string, bootedUnixMs: number): EarlierLog | null {
  if (!existsSync(path)) return null;
  try {
    const db = openForChange(path, { busyTimeoutMs });
    try {
      // One that was begun and came to nothing, or is of an earlier format: its writer goes on in it.
      if (schemaVersionOf(db) < schemaVersion) return null;
      const row = db
        .prepare<[number, number], { startedMonotonicMs: number | null } & EarlierLog>(
          `SELECT
             (SELECT monotonic_ms FROM tick WHERE time_unix_ms >= ? ORDER BY sequence LIMIT 1)
               AS startedMonotonicMs,
             (SELECT max(detail ->> 'kmsgSequence') FROM event
              WHERE kind = 'oom_kill' AND tick_unix_ms >= ?) AS killSequence`,
        )
        .get(bootedUnixMs, bootedUnixMs);
      return row === undefined || row.startedMonotonicMs === null ? null : row;
    } finally {
      db.close();
    }
  } catch (error) {
    throw readingError(error, path);
  }
}
