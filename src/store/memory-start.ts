import type { Database } from './driver.ts';
import { hourMs, minuteMs } from './rollup-key.ts';
import { readWatermarks } from './session-row.ts';
import { hasHoursSql } from './whole-distributions.ts';

/** The tick from which on the memory figures are those of what was recorded, in SQL; NULL: the first. */
export const memoryStartSql = `(SELECT max(sequence) FROM event
  WHERE kind = 'note' AND json_extract(detail, '$.code') = 'cgroup_found')`;

/**
 * When that tick was; where its minute or hour is all that is left of it, when the next one begins, as
 * what was thinned cannot be divided any more.
 */
export function memoryStartUnixMs(db: Database, sequence: number): number | null {
  const unixMs = db
    .prepare(`SELECT min(tick_unix_ms) FROM event WHERE sequence = ?`)
    .pluck()
    .get(sequence);
  if (typeof unixMs !== 'number') return null;
  if (sequence >= readWatermarks(db).fullFromSequence) return unixMs;
  const hasHours = db.prepare(`SELECT ${hasHoursSql}`).pluck().get() === 1;
  const spanMs = hasHours ? hourMs : minuteMs;
  return spanMs * Math.ceil(unixMs / spanMs);
}
