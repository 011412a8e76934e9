import type { TimeRange } from '../../model/time-range.ts';
import type { Database } from '../driver.ts';
import { fromOf, stretchesOf, toOf } from '../time-stretches.ts';
import { availableSql, tickWithLimitSql } from '../views.ts';
import type { Bucket } from './bucket.ts';

const bucketSql = `
  SELECT
    min(time_unix_ms) AS firstUnixMs,
    max(time_unix_ms) AS lastUnixMs,
    min(monotonic_ms) AS firstMonotonicMs,
    max(monotonic_ms) AS lastMonotonicMs,
    min(limit_bytes) AS limitBytes,
    min(working_set_bytes) AS workingSetMinBytes,
    max(working_set_bytes) AS workingSetMaxBytes,
    min(available_bytes) AS availableMinBytes,
    max(available_bytes) AS availableMaxBytes,
    max(pressure_memory_some_ms) AS memorySomeMs,
    max(pressure_memory_full_ms) AS memoryFullMs,
    max(pressure_cpu_some_ms) AS cpuSomeMs,
    max(pressure_io_full_ms) AS ioFullMs
  FROM (
    SELECT *, ${availableSql} AS available_bytes FROM ${tickWithLimitSql}
    WHERE sequence BETWEEN ? AND ? AND time_unix_ms BETWEEN ? AND ?
  )
  GROUP BY CAST((time_unix_ms - ?) / ? AS INTEGER)
  ORDER BY min(sequence)`;

/** The ticks of a range from a sequence number on, so many milliseconds to a column; by time. */
export function* tickBuckets(
  db: Database,
  range: TimeRange,
  { columnMs, fromSequence }: { columnMs: number; fromSequence: number },
): Generator<Bucket> {
  const select = db.prepare<number[], Bucket>(bucketSql);
  for (const { first, last } of stretchesOf(db, range)) {
    const bounds = [Math.max(first, fromSequence), last, fromOf(range), toOf(range)];
    yield* select.all(...bounds, range.fromUnixMs ?? 0, columnMs);
  }
}
