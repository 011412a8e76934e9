import { ByteReader, ByteWriter } from '../model/byte-codec.ts';
import { HeadroomError } from '../model/errors.ts';
import type { Database } from './driver.ts';
import { insertSql } from './insert-sql.ts';
import { storedProcessRowNames, storedPssNames } from './process-row-columns.ts';
import { hourOf, minuteMs, rollupKey } from './rollup-key.ts';
import { RollupWriter } from './rollup-writer.ts';
import { createSchema } from './schema.ts';

/**
 * Version 1 had one table for all rows of processes, RSS in KiB and CPU time in ms, the rollups by
 * the names of their series, with sums and extremes in the sketch as well, and no hours.
 */
export function migrateFrom1(db: Database): void {
  const tables = namesOf(db, 'table');
  for (const view of namesOf(db, 'view')) db.exec(`DROP VIEW ${view}`);
  for (const table of tables) db.exec(`ALTER TABLE ${table} RENAME TO old_${table}`);
  createSchema(db);
  for (const table of ['session', 'tick_setting', 'tick_minute', 'process', 'process_text']) {
    copyRows(db, table, {});
  }
  copyRows(db, 'export_cursor', {});
  copyRows(db, 'tick', { collector_read_us: 'CAST(round(collector_read_ms * 1000) AS INTEGER)' });
  copyRows(db, 'event', {
    tick_unix_ms: `coalesce(
      (SELECT tick.time_unix_ms FROM old_tick AS tick WHERE tick.sequence = old_event.sequence),
      time_unix_ms, 0)`,
  });
  copyProcessRows(db);
  copyRollups(db);
  for (const table of tables) db.exec(`DROP TABLE old_${table}`);
}

function namesOf(db: Database, type: 'table' | 'view'): string[] {
  return db
    .prepare<[string], string>(
      "SELECT name FROM sqlite_schema WHERE type = ? AND name NOT LIKE 'sqlite%'",
    )
    .pluck()
    .all(type);
}

/** Copies the columns that both have, and makes others out of the old ones. */
function copyRows(db: Database, table: string, made: Readonly<Record<string, string>>): void {
  const old = new Set(storedColumns(db, `old_${table}`));
  const kept = storedColumns(db, table).filter((name) => old.has(name));
  const names = [...kept, ...Object.keys(made)];
  const values = [...kept, ...Object.values(made)];
  db.exec(
    `INSERT INTO ${table} (${names.join(', ')}) SELECT ${values.join(', ')} FROM old_${table}`,
  );
}

function storedColumns(db: Database, table: string): string[] {
  return db
    .prepare<[string], string>('SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0')
    .pluck()
    .all(table);
}

function copyProcessRows(db: Database): void {
  const blocks = (kib: string) => `CAST(round(${kib} / 4.0) AS INTEGER)`;
  const values = `key,
    ${blocks('rss_kib')} - coalesce(${blocks('anon_kib')}, 0) - coalesce(${blocks('shmem_kib')}, 0),
    ${['anon_kib', 'shmem_kib', 'swap_kib'].map(blocks).join(', ')},
    CAST(round(cpu_ms / 10.0) AS INTEGER), thread_count, major_fault_count, state`;
  const names = storedProcessRowNames.join(', ');
  const pssNames = storedPssNames.join(', ');
  db.exec(`
    INSERT INTO process_row (${names})
    SELECT ${values} FROM old_process_sample WHERE pss_kib IS NULL ORDER BY key;
    INSERT INTO process_pss_row (${names}, ${pssNames})
    SELECT ${values}, ${pssNames} FROM old_process_sample WHERE pss_kib IS NOT NULL ORDER BY key`);
}

interface OldRollup {
  start_unix_ms: number;
  series: number;
  sketch: Uint8Array;
}

function copyRollups(db: Database): void {
  db.exec(`
    INSERT INTO series (scope, metric) SELECT DISTINCT scope, metric FROM old_rollup`);
  const kept = ['weight_ms', 'sample_count', 'min', 'max', 'sum', 'p50', 'p90', 'p95', 'p99'];
  const insert = db.prepare(insertSql('rollup', ['key', ...kept, 'sketch']));
  const rows = db
    .prepare<[], OldRollup>(
      `SELECT start_unix_ms, series, sketch, ${kept.join(', ')}
       FROM old_rollup JOIN series USING (scope, metric) ORDER BY start_unix_ms, series`,
    )
    .all();
  for (const row of rows) {
    const { start_unix_ms: startUnixMs, series, sketch } = row;
    const figures = kept.map((name) => Reflect.get(row, name));
    insert.run(rollupKey(minuteMs, startUnixMs, series), ...figures, withoutTotals(sketch));
  }
  // The hour of the last tick may go on.
  const lastUnixMs = db
    .prepare('SELECT time_unix_ms FROM tick ORDER BY sequence DESC')
    .pluck()
    .get();
  const hours = new Set(rows.map((row) => hourOf(row.start_unix_ms)));
  hours.delete(hourOf(Number(lastUnixMs)));
  const writer = new RollupWriter(db);
  for (const hour of hours) writer.writeHour(hour);
}

// Version, scale, three flags, sum, minimum, maximum; then what there is still.
function withoutTotals(old: Uint8Array): Uint8Array {
  const reader = new ByteReader(old);
  const version = reader.byte();
  const scale = reader.signedVarint();
  const flags = reader.byte();
  if (version !== 1 || scale === null || flags === null) {
    throw new HeadroomError('FILE_CORRUPT', 'a stored distribution (sketch) cannot be read');
  }
  for (const bit of [1, 2, 4]) {
    if ((flags & bit) === 0) reader.varint();
    else reader.float64();
  }
  const writer = new ByteWriter();
  writer.byte(2);
  writer.signedVarint(scale);
  for (let next = reader.byte(); next !== null; next = reader.byte()) writer.byte(next);
  return writer.toBytes();
}
