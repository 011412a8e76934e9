import type { Database } from '../driver.ts';
import { readSession } from '../session-row.ts';

/**
 * Sees to it that there is what every reader needs: the row of the session, and the settings of the
 * first tick. What is lost of the session is said to be unknown as far as its columns allow; a
 * machine without a CPU is one that nothing is known of. True when its row was lost.
 */
export function mendSession(db: Database, newId: string): boolean {
  const isLost = !hasSession(db);
  if (isLost) db.prepare(standInSql).run(newId);
  db.exec(firstSettingSql);
  db.exec(minutesSql);
  return isLost;
}

function hasSession(db: Database): boolean {
  try {
    if (readSession(db) !== null) return true;
  } catch (error) {
    // Its columns are of the right types, and what is in them is not.
    if (!(error instanceof Error)) throw error;
  }
  db.exec('DELETE FROM session');
  return false;
}

const standInSql = `
  INSERT INTO session (one, id, source, labels, started_unix_ms, interval_ms, kernel, host_name,
    cpu_count, memory_total_bytes, limit_bytes, limit_source, sample_source,
    clock_ticks_per_second, page_size_bytes, collector_version, rolled_up_sequence)
  SELECT 1, ?, 'unknown', '{}',
    coalesce((SELECT min(time_unix_ms) FROM tick), (SELECT min(start_unix_ms) FROM rollup), 0),
    coalesce((SELECT interval_ms FROM tick_setting ORDER BY sequence LIMIT 1), 1000),
    'unknown', 'unknown', 0, total_bytes, coalesce(limit_bytes, total_bytes),
    CASE version WHEN 1 THEN 'cgroup_v1' WHEN 2 THEN 'cgroup_v2' ELSE 'machine' END,
    'proc', 100, 4096, 'unknown',
    coalesce((SELECT max(sequence) FROM tick
      WHERE time_unix_ms < (SELECT max(start_unix_ms + span_ms) FROM rollup)), 0)
  FROM (
    SELECT coalesce(max(machine_total_bytes), 0) AS total_bytes,
      min(cgroup_limit_bytes) AS limit_bytes, max(cgroup_version) AS version
    FROM tick_setting
  )`;

// A tick before the first settings would not be read at all.
const firstSettingSql = `
  INSERT INTO tick_setting (sequence, interval_ms, machine_total_bytes)
  SELECT first, interval_ms, memory_total_bytes
  FROM (SELECT min(sequence) AS first FROM tick), session
  WHERE first < coalesce((SELECT min(sequence) FROM tick_setting), first + 1)`;

const minutesSql = `
  DELETE FROM tick_minute;
  INSERT INTO tick_minute (sequence, start_unix_ms)
  SELECT sequence, minute
  FROM (
    SELECT sequence, minute, lag(minute) OVER (ORDER BY sequence) AS before
    FROM (SELECT sequence, time_unix_ms / 60000 * 60000 AS minute FROM tick)
  )
  WHERE before IS NULL OR minute <> before`;
