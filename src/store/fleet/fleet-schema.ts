import { type Database, transaction } from '../driver.ts';

/** `Hdfl` in the header of the file: how a data set is known from a recording. */
export const fleetApplicationId = 0x4864666c;
/** Of the tables, in `user_version`; docs/fleet.md describes them. */
export const fleetSchemaVersion = 1;

/** Makes the tables of a new data set. */
export function createFleetSchema(db: Database): void {
  db.exec(tablesSql);
  db.exec(indexesSql);
  db.pragma(`application_id = ${fleetApplicationId}`);
  db.pragma(`user_version = ${fleetSchemaVersion}`);
}

/** What a data set of an earlier version has not. */
export function addLaterParts(db: Database): void {
  if (missingColumns(db).length > 0) {
    transaction(db, 'immediate', () => {
      // Another import may have added them meanwhile.
      for (const name of missingColumns(db)) {
        db.exec(`ALTER TABLE session ADD COLUMN ${name} INTEGER`);
      }
    });
  }
  db.exec(indexesSql);
}

/** Of `session`: those that a data set of an earlier version has not. */
export function missingColumns(db: Database): string[] {
  const names = db.prepare<[], string>("SELECT name FROM pragma_table_info('session')").pluck();
  const known = new Set(names.all());
  return laterColumns.filter((name) => !known.has(name));
}

const laterColumns = ['growth_bytes_per_minute', 'growth_ahead_ms'];

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
  gap_ms INTEGER NOT NULL,
  growth_bytes_per_minute INTEGER,
  growth_ahead_ms INTEGER
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
