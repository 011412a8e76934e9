import { randomUUID } from 'node:crypto';
import { HeadroomError } from '../../model/errors.ts';
import type { OnCheckProgress } from '../check-progress.ts';
import { inspectDatabaseFile } from '../database-file.ts';
import { type Database, openDatabase } from '../driver.ts';
import { EventWriter } from '../event-rows.ts';
import { migrate } from '../migrate.ts';
import { readingError } from '../reading-error.ts';
import { applicationId, newestVersion } from '../schema.ts';
import { checkSeal } from '../seal/check-seal.ts';
import { sealFile } from '../seal/seal-file.ts';
import { PageFile } from '../sqlite-file/page-file.ts';
import { lastTick } from '../tick-rows.ts';
import type { Verification } from '../verify/verification.ts';
import { verifyFile } from '../verify/verify-file.ts';
import { copyTables, type TableOutcome } from './copy-tables.ts';
import { type LostSamples, noteLostSamples } from './lost-samples.ts';
import { mendRollups } from './mend-rollups.ts';
import { mendSession } from './mend-session.ts';
import { createSavedSchema, readSourceSchema } from './source-schema.ts';
import { type TableLoss, tableLoss } from './table-loss.ts';

export interface Salvage {
  tables: readonly TableLoss[];
  /** The row of the session was lost: of machine, browser and labels nothing is known. */
  isSessionLost: boolean;
  lostSamples: readonly LostSamples[];
  /** What is in the recording that was made. */
  saved: Verification;
}

export interface SalvageOptions {
  /** Id of the session, where that of the recording is lost; default: random. */
  newId?: string;
  nowUnixMs?: number;
  onProgress?: OnCheckProgress;
}

const ourPageSizeBytes = 4096;
// The others say nothing without one of these.
const tellingTables = new Set(['tick', 'rollup']);

/**
 * Makes a whole recording of what can be read of a damaged one, which nobody may be writing to and
 * which stays as it is. `out` is an empty file or none. What was lost is a gap of kind `lost` in it.
 * NOTHING_TO_SAVE when no sample is left in it, FILE_EMPTY, FILE_NOT_A_DATABASE, FILE_NOT_A_RECORDING, FILE_TOO_NEW, STORE_FULL,
 * FILE_NOT_WRITABLE.
 */
export function salvageFile(path: string, out: string, options: SalvageOptions = {}): Salvage {
  using file = openPages(path, options.onProgress);
  refuseOthers(file, path);
  const made = make(file, out, options);
  if (!made.tables.some(({ name, savedRows }) => tellingTables.has(name) && savedRows > 0)) {
    throw nothingLeft(path);
  }
  options.onProgress?.('sealing', null);
  sealFile(out);
  const saved = verifyFile(out, passedOn(options));
  if (!saved.isWhole) {
    const [problem] = saved.problems;
    throw new HeadroomError('INTERNAL', `${path}: what was saved of it ${problem?.message}`);
  }
  return { ...made, saved };
}

/** It may also be that it never was one. */
function nothingLeft(path: string): HeadroomError {
  try {
    inspectDatabaseFile(path);
  } catch (error) {
    // What it says of a damaged one is that it should be saved.
    if (!(error instanceof HeadroomError)) throw error;
    if (error.code !== 'FILE_CORRUPT') return error;
  }
  return new HeadroomError('NOTHING_TO_SAVE', `${path}: no sample of a recording is left in it`, {
    hint: 'Pull the file again, or use another copy of it.',
  });
}

function passedOn({ onProgress }: SalvageOptions): Pick<SalvageOptions, 'onProgress'> {
  return onProgress === undefined ? {} : { onProgress };
}

function openPages(path: string, onProgress: OnCheckProgress | undefined): PageFile {
  const seal = checkSeal(path, onProgress);
  const badPages = seal.state === 'damaged' ? seal.damagedPages : [];
  return new PageFile(path, { badPages, pageSizeBytes: ourPageSizeBytes });
}

function refuseOthers({ header }: PageFile, path: string): void {
  if (header === null) return;
  if (header.applicationId !== applicationId) {
    throw new HeadroomError('FILE_NOT_A_RECORDING', `${path}: a database of another program`, {
      hint: 'Give a file that `headroom record` wrote.',
    });
  }
  if (header.userVersion > newestVersion) {
    throw new HeadroomError('FILE_TOO_NEW', `${path}: written by a newer version of Headroom`, {
      hint: 'Update Headroom.',
    });
  }
}

function make(file: PageFile, out: string, options: SalvageOptions): Omit<Salvage, 'saved'> {
  const db = openDatabase(out, { mode: 'create', busyTimeoutMs: 0 });
  try {
    // Nobody else knows of the file yet, and one that is not finished is thrown away.
    db.pragma('journal_mode = MEMORY');
    db.pragma('synchronous = OFF');
    db.exec('BEGIN');
    const visited = new Set<number>();
    const schema = readSourceSchema(file, visited);
    createSavedSchema(db, schema, file);
    const tables = copyTables(db, { file, schema, visited, ...passedOn(options) });
    migrate(db);
    const isSessionLost = mendSession(db, options.newId ?? randomUUID());
    const lostSamples = noteLostSamples(db, lostOf(tables, 'tick'));
    if (harmedTables(tables).some((name) => name === 'rollup' || name === 'series')) {
      mendRollups(db, { areSeriesLost: harmedTables(tables).includes('series') });
    }
    note(db, tables, options.nowUnixMs ?? Date.now());
    const losses = tables.map((table) => tableLoss(db, table));
    db.exec('COMMIT');
    return { tables: losses, isSessionLost, lostSamples };
  } catch (error) {
    throw readingError(error, out);
  } finally {
    db.close();
  }
}

function lostOf(tables: readonly TableOutcome[], name: string) {
  return tables.find((table) => table.name === name)?.lost ?? [];
}

/** Of which rows were lost. */
function harmedTables(tables: readonly TableOutcome[]): string[] {
  return tables
    .filter(({ lost, refusedRows }) => lost.length + refusedRows > 0)
    .map(({ name }) => name);
}

/** The recording itself says where it comes from, with its last sample. */
function note(db: Database, tables: readonly TableOutcome[], nowUnixMs: number): void {
  const last = lastTick(db);
  if (last === null) return;
  const { timeUnixMs } = last;
  const names = harmedTables(tables);
  const what = names.length === 0 ? '' : `; rows were lost of ${names.join(', ')}`;
  const message = `saved from a damaged file on ${new Date(nowUnixMs).toISOString()}${what}`;
  new EventWriter(db).write({ kind: 'note', timeUnixMs, code: 'salvaged', message }, last);
}
