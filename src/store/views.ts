import { isOnlyHourSql, minuteMs } from './rollup-key.ts';

// A sample stands for one interval; what held at the last one holds that much longer.
const lastTickUnixMs = '(SELECT time_unix_ms FROM tick ORDER BY sequence DESC LIMIT 1)';
const intervalMs = '(SELECT interval_ms FROM session)';
// Of what is older the ticks were thinned, and all rows of processes but the last ones before it.
const fullFrom = '(SELECT full_from_sequence FROM session)';

const rowColumns = [
  'key',
  'sequence',
  'process',
  'rss_bytes',
  'anon_bytes',
  'shmem_bytes',
  'swap_bytes',
  'cpu_ms',
  'thread_count',
  'major_fault_count',
  'state',
].join(', ');

/** Ticks with the limit that binds and the working set, as `session-memory.ts` has them. */
export const tickWithLimitSql = `(
  SELECT
    *,
    max(0, CASE
      WHEN cgroup_binds THEN cgroup_charged_bytes - cgroup_inactive_file_bytes
      ELSE machine_total_bytes - machine_free_bytes - machine_inactive_file_bytes
    END) AS working_set_bytes
  FROM (
    SELECT
      tick.*,
      setting.machine_total_bytes,
      coalesce(setting.cgroup_limit_bytes < setting.machine_total_bytes, 0) AS cgroup_binds,
      min(coalesce(setting.cgroup_limit_bytes, setting.machine_total_bytes),
        setting.machine_total_bytes) AS limit_bytes,
      tick.time_unix_ms / 1000.0 AS t,
      strftime('%Y-%m-%dT%H:%M:%fZ', tick.time_unix_ms / 1000.0, 'unixepoch') AS time
    FROM tick
    JOIN tick_setting AS setting ON setting.sequence = (
      SELECT max(sequence) FROM tick_setting WHERE sequence <= tick.sequence)
  )
)`;

/** Over the columns of these: the bytes that can still be had. */
export const availableSql = `CASE
    WHEN NOT cgroup_binds THEN machine_available_bytes
    WHEN machine_available_bytes IS NULL THEN max(0, limit_bytes - working_set_bytes)
    ELSE min(machine_available_bytes, max(0, limit_bytes - working_set_bytes))
  END`;

/**
 * Views for a person with a SQL shell or a Grafana panel: bytes, `t` in Unix seconds, `time` as
 * RFC 3339, and nothing that needs to be known about how rows are stored. They work in the SQLite
 * of Debian 12 (3.40).
 */
export const viewsSql = `
CREATE VIEW process_detail AS
SELECT
  process, pid, parent_pid, browser_pid, role, comm, executable,
  command.value AS command,
  cgroup.value AS cgroup,
  oom_score_adj, descriptor_count, read_bytes, written_bytes
FROM process
LEFT JOIN process_text AS command ON command.text = command_text
LEFT JOIN process_text AS cgroup ON cgroup.text = cgroup_text;

CREATE VIEW session_sample AS
SELECT
  sequence,
  t,
  time,
  limit_bytes,
  working_set_bytes,
  ${availableSql} AS available_bytes,
  1.0 * working_set_bytes / limit_bytes AS utilization_ratio,
  browser_process_count,
  browser_unreclaimable_bytes,
  browser_pss_estimated_bytes,
  browser_rss_sum_bytes
FROM ${tickWithLimitSql};

CREATE VIEW process_sample AS
SELECT ${rowColumns}, NULL AS pss_bytes, NULL AS pss_anon_bytes, NULL AS pss_shmem_bytes
FROM process_row
UNION ALL
SELECT ${rowColumns}, pss_bytes, pss_anon_bytes, pss_shmem_bytes
FROM process_pss_row;

CREATE VIEW sample AS
SELECT
  tick_sequence AS sequence,
  t,
  strftime('%Y-%m-%dT%H:%M:%fZ', t, 'unixepoch') AS time,
  valid_until,
  process,
  pid,
  role,
  browser_pid,
  comm,
  rss_bytes,
  anon_bytes,
  shmem_bytes,
  swap_bytes,
  pss_estimated_bytes,
  CASE WHEN sequence = tick_sequence THEN pss_bytes END AS pss_bytes,
  cpu_ms,
  thread_count,
  major_fault_count,
  state
FROM (
  SELECT
    *,
    lead(sequence) OVER life AS next_sequence,
    coalesce(
      lead(t) OVER life,
      ended_unix_ms / 1000.0,
      (coalesce(last_unix_ms, ${lastTickUnixMs}) + ${intervalMs}) / 1000.0) AS valid_until,
    first_value(pss_bytes) OVER since_pss
      + anon_bytes - first_value(anon_bytes) OVER since_pss AS pss_estimated_bytes
  FROM (
    SELECT
      row.*,
      process.pid, process.role, process.browser_pid, process.comm,
      process.ended_unix_ms, process.last_unix_ms,
      tick.sequence AS tick_sequence,
      tick.time_unix_ms / 1000.0 AS t,
      count(row.pss_bytes) OVER (PARTITION BY row.process ORDER BY row.sequence) AS pss_reading
    FROM process_sample AS row
    JOIN process ON process.process = row.process
      AND (process.last_sequence IS NULL OR process.last_sequence >= ${fullFrom})
    JOIN tick ON tick.sequence = max(row.sequence, ${fullFrom})
  )
  WINDOW
    life AS (PARTITION BY process ORDER BY sequence),
    since_pss AS (PARTITION BY process, pss_reading ORDER BY sequence)
)
WHERE sequence >= tick_sequence OR next_sequence IS NULL OR next_sequence > tick_sequence;

-- Each row of a process changes the sums of its role by what differs from its row before; behind
-- its last row it takes all of itself out again. Their running total is the sum at each moment.
CREATE VIEW role_sample AS
WITH
  life AS (
    SELECT
      sequence, t, process, role,
      coalesce(rss_bytes, 0) AS rss,
      coalesce(pss_estimated_bytes, 0) AS pss,
      pss_estimated_bytes IS NULL AS unread,
      lag(1, 1, 0) OVER own AS is_known,
      lag(coalesce(rss_bytes, 0), 1, 0) OVER own AS rss_before,
      lag(coalesce(pss_estimated_bytes, 0), 1, 0) OVER own AS pss_before,
      lag(pss_estimated_bytes IS NULL, 1, 0) OVER own AS unread_before,
      lead(1, 1, 0) OVER own AS goes_on
    FROM sample
    WHERE browser_pid IS NOT NULL
    WINDOW own AS (PARTITION BY process ORDER BY sequence)
  ),
  step AS (
    SELECT
      sequence, t, role,
      1 - is_known AS processes, rss - rss_before AS rss, pss - pss_before AS pss,
      unread - unread_before AS unread
    FROM life
    UNION ALL
    SELECT tick.sequence, tick.time_unix_ms / 1000.0, life.role, -1, -rss, -pss, -unread
    FROM life
    JOIN process ON process.process = life.process
    JOIN tick ON tick.sequence = (
      SELECT min(sequence) FROM tick WHERE sequence > process.last_sequence)
    WHERE NOT goes_on
  ),
  moment AS (
    SELECT
      sequence, min(t) AS t, role, sum(processes) AS processes, sum(rss) AS rss, sum(pss) AS pss,
      sum(unread) AS unread
    FROM step
    GROUP BY role, sequence
  )
SELECT
  sequence,
  t,
  strftime('%Y-%m-%dT%H:%M:%fZ', t, 'unixepoch') AS time,
  coalesce(lead(t) OVER role_time, (${lastTickUnixMs} + ${intervalMs}) / 1000.0) AS valid_until,
  role,
  sum(processes) OVER role_time AS process_count,
  sum(rss) OVER role_time AS rss_bytes,
  CASE WHEN sum(unread) OVER role_time = 0 THEN sum(pss) OVER role_time END AS pss_bytes
FROM moment
WINDOW role_time AS (PARTITION BY role ORDER BY sequence);

CREATE VIEW percentile AS
SELECT
  start_unix_ms / 1000.0 AS t,
  strftime('%Y-%m-%dT%H:%M:%fZ', start_unix_ms / 1000.0, 'unixepoch') AS time,
  span_ms / 1000.0 AS span_seconds,
  scope,
  metric,
  min,
  p50,
  p90,
  p95,
  p99,
  max,
  sum / weight_ms AS mean,
  weight_ms / 1000.0 AS covered_seconds,
  sample_count
FROM rollup
JOIN series ON series.series = rollup.series
WHERE span_ms = ${minuteMs} OR (${isOnlyHourSql});
`;
