import { addAgentOsTable, agentOsVersion } from '../agentos-rows.ts';
import { type Database, sqliteCode } from '../driver.ts';
import { applicationId, createSchema, schemaVersion } from '../schema.ts';
import type { PageFile } from '../sqlite-file/page-file.ts';
import { type StoredRow, tableRows } from '../sqlite-file/table-rows.ts';

export interface SourceSchema {
  /** The first page of each table, by name; empty where the list of tables is lost. */
  roots: ReadonlyMap<string, number>;
  /** What made the tables and views. */
  statements: readonly string[];
  isWhole: boolean;
}

/** The tables of a damaged file, as far as its list of them can be read. */
export function readSourceSchema(file: PageFile, visited: Set<number>): SourceSchema {
  let isWhole = file.header !== null;
  const walk = { file, visited, onLost: () => (isWhole = false) };
  const entries = isWhole ? [...tableRows(walk, 1)].map(entryOf) : [];
  const known = entries.filter((entry) => entry !== null);
  return {
    roots: new Map(
      known.flatMap(({ type, name, root }) => (type === 'table' ? [[name, root]] : [])),
    ),
    statements: known.map(({ sql }) => sql),
    isWhole: isWhole && known.length === entries.length,
  };
}

/**
 * Makes the tables of the recording that is to be saved: as they were, so that a file of an earlier
 * version stays one, or as they are now where that is lost.
 */
export function createSavedSchema(db: Database, schema: SourceSchema, file: PageFile): void {
  const wasMade = schema.isWhole && makeAsBefore(db, schema.statements);
  const version = file.header?.userVersion ?? schemaVersion;
  if (!wasMade) {
    createSchema(db);
    if (version === agentOsVersion) addAgentOsTable(db);
    return;
  }
  db.pragma(`application_id = ${applicationId}`);
  db.pragma(`user_version = ${version}`);
}

interface Entry {
  type: string;
  name: string;
  root: number;
  sql: string;
}

/** A row of `sqlite_schema`; null when it makes no sense. What SQLite makes by itself has no text. */
function entryOf({ values }: StoredRow): Entry | null {
  const [type, name, , root, sql] = values;
  if (typeof type !== 'string' || typeof name !== 'string' || typeof root !== 'number') return null;
  // One statement that makes one thing; anything else is not ours.
  if (typeof sql !== 'string' || !/^CREATE (TABLE|VIEW|INDEX) /.test(sql)) return null;
  return { type, name, root, sql };
}

function makeAsBefore(db: Database, statements: readonly string[]): boolean {
  db.exec('SAVEPOINT schema');
  try {
    // Not `exec`, which takes several statements at once.
    for (const sql of statements) db.prepare(sql).run();
    db.exec('RELEASE schema');
    return statements.length > 0;
  } catch (error) {
    if (sqliteCode(error) === null) throw error;
    db.exec('ROLLBACK TO schema; RELEASE schema');
    return false;
  }
}
