import { processRoles } from '../model/process-role.ts';
import type { BrowserProcess, ProcessRecord } from '../model/recording.ts';
import type { Database } from './driver.ts';
import { checkShape, type RowShape } from './row-shape.ts';

/**
 * The processes of a recording, by first sight. While it is recorded, and when its recorder was
 * killed, what the row of a living process does not say yet comes from its samples; where damage left
 * none of those, it was last seen when it was first seen.
 */
export function readProcessRecords(db: Database): ProcessRecord[] {
  return db
    .prepare<[], ProcessRecord>(
      `WITH seen AS (
         SELECT process, max(rss_bytes) AS rss, max(pss_bytes) AS pss, max(cpu_ms) AS cpu
         FROM (
           SELECT process, rss_bytes, NULL AS pss_bytes, cpu_ms FROM process_row
           UNION ALL
           SELECT process, rss_bytes, pss_bytes, cpu_ms FROM process_pss_row
         )
         WHERE (SELECT ended_unix_ms FROM session) IS NULL
           AND process IN (SELECT process FROM process WHERE last_sequence IS NULL)
         GROUP BY process
       )
       SELECT
         process.process, pid, start_ticks AS startTicks, parent_pid AS parentPid, comm, executable,
         role, browser_pid AS browserPid, first_unix_ms AS firstUnixMs,
         coalesce(last_unix_ms,
           (SELECT time_unix_ms FROM tick ORDER BY sequence DESC LIMIT 1),
           first_unix_ms) AS lastUnixMs,
         ended_unix_ms AS endedUnixMs, exit_code AS exitCode, signal,
         max(coalesce(peak_rss_bytes, rss), coalesce(rss, peak_rss_bytes)) AS peakRssBytes,
         max(coalesce(peak_pss_bytes, pss), coalesce(pss, peak_pss_bytes)) AS peakPssBytes,
         first_cpu_ms AS firstCpuMs,
         max(last_cpu_ms, coalesce(cpu, last_cpu_ms)) AS lastCpuMs,
         command.value AS command, oom_score_adj AS oomScoreAdj, cgroup.value AS cgroup,
         descriptor_count AS descriptorCount, read_bytes AS readBytes,
         written_bytes AS writtenBytes
       FROM process LEFT JOIN seen ON seen.process = process.process
       LEFT JOIN process_text AS command ON command.text = command_text
       LEFT JOIN process_text AS cgroup ON cgroup.text = cgroup_text
       ORDER BY process.process`,
    )
    .all()
    .map((row) => checkShape(row, recordShape, `process ${row.process}`));
}

/** Those of the browser that had not ended before this time, from their rows alone. */
export function readBrowserProcesses(db: Database, notEndedBeforeUnixMs: number): BrowserProcess[] {
  return db
    .prepare<[number], BrowserProcess>(
      `SELECT process, pid, role, first_unix_ms AS firstUnixMs, ended_unix_ms AS endedUnixMs,
         first_cpu_ms AS firstCpuMs, last_cpu_ms AS lastCpuMs
       FROM process
       WHERE browser_pid IS NOT NULL AND (ended_unix_ms IS NULL OR ended_unix_ms >= ?)
       ORDER BY process`,
    )
    .all(notEndedBeforeUnixMs)
    .map((row) => checkShape(row, browserProcessShape, `process ${row.process}`));
}

const browserProcessShape: RowShape<BrowserProcess> = {
  process: 'number',
  pid: 'number',
  role: processRoles,
  firstUnixMs: 'number',
  endedUnixMs: 'number?',
  firstCpuMs: 'number',
  lastCpuMs: 'number',
};

const recordShape: RowShape<ProcessRecord> = {
  process: 'number',
  pid: 'number',
  startTicks: 'number',
  parentPid: 'number',
  comm: 'string',
  executable: 'string?',
  role: processRoles,
  browserPid: 'number?',
  firstUnixMs: 'number',
  lastUnixMs: 'number',
  endedUnixMs: 'number?',
  exitCode: 'number?',
  signal: 'string?',
  peakRssBytes: 'number?',
  peakPssBytes: 'number?',
  firstCpuMs: 'number',
  lastCpuMs: 'number',
  command: 'string?',
  oomScoreAdj: 'number?',
  cgroup: 'string?',
  descriptorCount: 'number?',
  readBytes: 'number?',
  writtenBytes: 'number?',
};
