import type { Database } from '../driver.ts';

/** `Hdfl` in the header of the file: how a data set is known from a recording. */
export const fleetApplicationId = 0x4864666c;
/** Of the tables, in `user_version`; docs/fleet.md describes them. */
export const fleetSchemaVersion = 1;

/** Makes the tables of a new data set. */
export function createFleetSchema(db: Database): void {
  db.exec(tablesSql);
  addFleetIndexes(db);
  db.pragma(`application_id = ${fleetApplicationId}`);
  db.pragma(`user_version = ${fleetSchemaVersion}`);
}

/** Those that a data set of an earlier version has not. */
export function addFleetIndexes(db: Database): void {
  db.exec(indexesSql);
}

const tablesSql = `
CREATE TABLE session (
  session INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  file TEXT NOT NULL,
  checksum TEXT NOT NULL,
  source TEXT NOT NULL,
  labels TEXT NOT NULL,
  version TEXT,
  tier TEXT NOT NULL,
  day TEXT NOT NULL,
  started_unix_ms INTEGER NOT NULL,
  last_unix_ms INTEGER NOT NULL,
  end_reason TEXT,
  last_sequence INTEGER NOT NULL,
  recorded_ms INTEGER NOT NULL,
  demand_bytes INTEGER NOT NULL,
  demand_source TEXT NOT NULL,
  is_censored INTEGER NOT NULL,
  is_cut_off INTEGER NOT NULL,
  limit_bytes INTEGER NOT NULL,
  limit_source TEXT NOT NULL,
  available_min_bytes INTEGER,
  oom_kill_count INTEGER NOT NULL,
  death_count INTEGER NOT NULL,
  verdict TEXT NOT NULL,
  summary TEXT,
  gap_count INTEGER NOT NULL,
  gap_ms INTEGER NOT NULL
) STRICT;

CREATE TABLE distribution (
  session INTEGER NOT NULL,
  figure TEXT NOT NULL,
  weight_ms INTEGER NOT NULL,
  min REAL NOT NULL,
  max REAL NOT NULL,
  sum REAL NOT NULL,
  p50 REAL NOT NULL,
  p90 REAL NOT NULL,
  p95 REAL NOT NULL,
  p99 REAL NOT NULL,
  sketch BLOB NOT NULL,
  PRIMARY KEY (session, figure)
) STRICT, WITHOUT ROWID;

CREATE TABLE file (
  path TEXT PRIMARY KEY,
  stamp TEXT NOT NULL,
  checksum TEXT,
  outcome TEXT NOT NULL,
  id TEXT,
  code TEXT,
  reason TEXT
) STRICT, WITHOUT ROWID;
`;

const indexesSql = `
CREATE INDEX IF NOT EXISTS file_checksum ON file (checksum);
CREATE INDEX IF NOT EXISTS session_file ON session (file);
`;
