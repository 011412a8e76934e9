import { agentOsVersion } from './agentos-rows.ts';
import type { Database } from './driver.ts';
import { processRowColumnsSql, pssColumnsSql } from './process-row-columns.ts';
import { rollupKeyColumnsSql } from './rollup-key.ts';
import { settingColumnsSql, tickColumnsSql } from './tick-columns.ts';
import { viewsSql } from './views.ts';

/** `Hdrm` in the header of the file: how `file` and we know a recording from any other database. */
export const applicationId = 0x4864726d;
/**
 * Version of the tables, in `user_version`; docs/schema.md describes them. Version 1 was that of
 * Headroom 0.1.0 before its release.
 */
export const schemaVersion = 2;

/** The newest that is known: of recordings that need what came later than {@link schemaVersion}. */
export const newestVersion = agentOsVersion;

/** Makes the tables and views of a new recording. */
export function createSchema(db: Database): void {
  db.exec(tablesSql);
  db.exec(viewsSql);
  db.pragma(`application_id = ${applicationId}`);
  db.pragma(`user_version = ${schemaVersion}`);
}

const tablesSql = `
CREATE TABLE session (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  id TEXT NOT NULL,
  source TEXT NOT NULL,
  labels TEXT NOT NULL,
  started_unix_ms INTEGER NOT NULL,
  ended_unix_ms INTEGER,
  end_reason TEXT,
  interval_ms INTEGER NOT NULL,
  boot_id TEXT,
  kernel TEXT NOT NULL,
  host_name TEXT NOT NULL,
  cpu_count INTEGER NOT NULL,
  memory_total_bytes INTEGER NOT NULL,
  limit_bytes INTEGER NOT NULL,
  limit_source TEXT NOT NULL,
  browser_version TEXT,
  sample_source TEXT NOT NULL,
  clock_ticks_per_second INTEGER NOT NULL,
  page_size_bytes INTEGER NOT NULL,
  collector_version TEXT NOT NULL,
  recorder_pid INTEGER,
  recorder_start_ticks INTEGER,
  recorder_boot_id TEXT,
  rolled_up_sequence INTEGER NOT NULL DEFAULT 0,
  minutes_from_sequence INTEGER NOT NULL DEFAULT 0,
  full_from_sequence INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE tick (
  sequence INTEGER PRIMARY KEY,
  ${tickColumnsSql}
) STRICT;

CREATE TABLE tick_setting (
  sequence INTEGER PRIMARY KEY,
  ${settingColumnsSql}
) STRICT;

CREATE TABLE tick_minute (
  sequence INTEGER PRIMARY KEY,
  start_unix_ms INTEGER NOT NULL,
  tick_count INTEGER
) STRICT;

CREATE TABLE process (
  process INTEGER PRIMARY KEY,
  pid INTEGER NOT NULL,
  start_ticks INTEGER NOT NULL,
  parent_pid INTEGER NOT NULL,
  comm TEXT NOT NULL,
  executable TEXT,
  role TEXT NOT NULL,
  browser_pid INTEGER,
  first_sequence INTEGER NOT NULL,
  first_unix_ms INTEGER NOT NULL,
  last_sequence INTEGER,
  last_unix_ms INTEGER,
  ended_unix_ms INTEGER,
  exit_code INTEGER,
  signal TEXT,
  peak_rss_bytes INTEGER,
  peak_pss_bytes INTEGER,
  first_cpu_ms INTEGER NOT NULL,
  last_cpu_ms INTEGER NOT NULL,
  command_text INTEGER,
  cgroup_text INTEGER,
  oom_score_adj INTEGER,
  descriptor_count INTEGER,
  read_bytes INTEGER,
  written_bytes INTEGER
) STRICT;

CREATE TABLE process_text (
  text INTEGER PRIMARY KEY,
  value TEXT NOT NULL
) STRICT;

CREATE TABLE process_row (${processRowColumnsSql}
) STRICT;

CREATE TABLE process_pss_row (${processRowColumnsSql},
  ${pssColumnsSql}
) STRICT;

CREATE TABLE event (
  event INTEGER PRIMARY KEY,
  sequence INTEGER NOT NULL,
  tick_unix_ms INTEGER NOT NULL,
  time_unix_ms INTEGER,
  kind TEXT NOT NULL,
  process INTEGER,
  detail TEXT NOT NULL
) STRICT;

CREATE TABLE series (
  series INTEGER PRIMARY KEY,
  scope TEXT NOT NULL,
  metric TEXT NOT NULL
) STRICT;

CREATE TABLE rollup (${rollupKeyColumnsSql},
  weight_ms INTEGER NOT NULL,
  sample_count INTEGER NOT NULL,
  min REAL NOT NULL,
  max REAL NOT NULL,
  sum REAL NOT NULL,
  p50 REAL NOT NULL,
  p90 REAL NOT NULL,
  p95 REAL NOT NULL,
  p99 REAL NOT NULL,
  sketch BLOB NOT NULL
) STRICT;

CREATE TABLE export_cursor (
  target TEXT PRIMARY KEY,
  sequence INTEGER NOT NULL,
  time_unix_ms INTEGER,
  sent_count INTEGER NOT NULL,
  dropped_count INTEGER NOT NULL,
  rejected_count INTEGER NOT NULL,
  detail TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE reserve (
  row INTEGER PRIMARY KEY,
  filler BLOB NOT NULL
) STRICT;
`;
