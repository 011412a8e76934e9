import { statSync } from 'node:fs';
import path from 'node:path';
import { type ErrorCode, errnoOf, HeadroomError } from '../../model/errors.ts';
import type { FleetSession } from '../../model/fleet-session.ts';
import { readError } from '../database-file.ts';
import { type Database, fileError, openDatabase, transaction } from '../driver.ts';
import { makeFolders } from '../make-folders.ts';
import { readingError } from '../reading-error.ts';
import { fleetFileName } from './fleet-file.ts';
import {
  addLaterParts,
  createFleetSchema,
  fleetApplicationId,
  fleetSchemaVersion,
} from './fleet-schema.ts';
import { FleetWriter } from './fleet-writer.ts';
import { readSessions } from './session-rows.ts';

/**
 * What became of a file. `imported`: its session is in the data set. `replaced`: likewise, in place of
 * a shorter recording of the same session. `duplicate`: a copy of one that is. `shorter`: what it has
 * is in a longer recording of the same session. `parted`: it goes on otherwise than the recording of the
 * same session that is in the data set. `damaged`: it cannot be read. `blind`: it does not tell
 * how much memory was used.
 */
export type FileOutcome =
  | 'imported'
  | 'replaced'
  | 'duplicate'
  | 'shorter'
  | 'parted'
  | 'damaged'
  | 'blind';

/** Of files that have something that is not in the data set. */
export const leftOutOutcomes: readonly FileOutcome[] = ['parted', 'damaged', 'blind'];

/** A file that was looked at, under its absolute path. */
export interface KnownFile {
  path: string;
  /** Another one when the file has been written to. */
  stamp: string;
  outcome: FileOutcome;
  /** What is wrong with it; null: nothing. */
  code: ErrorCode | null;
  reason: string | null;
}

/** A file that has not changed since it was looked at. */
export interface SameFile extends KnownFile {
  /**
   * Set where it is a copy of the recording of a session, and there is no file any more where that was:
   * the checksum of both. Put as a copy, it takes that place.
   */
  heirChecksum: string | null;
}

const busyTimeoutMs = 10_000;
// Its indexes fit into it; SQLite itself would take 16 MiB of it.
const cacheKib = 4096;

/**
 * The data set of a fleet in a folder: one SQLite file, which docs/fleet.md describes. `create` makes
 * what is missing. FILE_NOT_FOUND without it, FILE_NOT_A_DATABASE, FILE_TOO_NEW, FILE_NOT_WRITABLE,
 * FILE_CORRUPT, STORE_BUSY, STORE_FULL.
 */
export class FleetData {
  readonly path: string;
  readonly #db: Database;
  #writer: FleetWriter | null = null;

  constructor(folder: string, mode: 'read' | 'create') {
    this.path = path.join(folder, fleetFileName);
    if (mode === 'create') makeFolder(folder);
    else requireFile(this.path, folder);
    this.#db = this.#tried(() => {
      const db = openDatabase(this.path, {
        // A writer that was killed left a journal, which whoever comes next plays back.
        mode: mode === 'create' ? 'create' : 'write',
        busyTimeoutMs,
      });
      try {
        db.pragma(`cache_size = -${cacheKib}`);
        prepare(db, { file: this.path, folder, mode });
        return db;
      } catch (error) {
        db.close();
        throw error;
      }
    });
  }

  /** Whether this very file was looked at, and what became of it; null: it was not. */
  known(file: string, stamp: string): SameFile | null {
    return this.#tried(() => this.#write().known(file, stamp));
  }

  /** Whether a recording with this checksum is in the data set. */
  hasChecksum(checksum: string): boolean {
    return this.#tried(() => this.#write().hasChecksum(checksum));
  }

  /** Writes what was found of some files, all or nothing, and gives what became of each. */
  put(findings: readonly FileFinding[]): KnownFile[] {
    return this.#tried(() =>
      transaction(this.#db, 'immediate', () => findings.map((one) => this.#write().put(one))),
    );
  }

  /** In the order in which they came into it. Nothing else may be done meanwhile. */
  *sessions(): IterableIterator<FleetSession> {
    const rows = this.#tried(() => readSessions(this.#db));
    for (;;) {
      const next = this.#tried(() => rows.next());
      if (next.done === true) return;
      yield next.value;
    }
  }

  sessionCount(): number {
    return this.#tried(
      () => this.#db.prepare<[], number>('SELECT count(*) FROM session').pluck().get() ?? 0,
    );
  }

  /** Files that have something that is not in it, and why, by path. */
  leftOut(): KnownFile[] {
    return this.#tried(() =>
      this.#db
        .prepare<[string], KnownFile>(
          `SELECT path, stamp, outcome, code, reason FROM file
           WHERE outcome IN (SELECT value FROM json_each(?)) ORDER BY path`,
        )
        .all(JSON.stringify(leftOutOutcomes)),
    );
  }

  close(): void {
    this.#db.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #write(): FleetWriter {
    this.#writer ??= new FleetWriter(this.#db);
    return this.#writer;
  }

  #tried<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      const told = readingError(fileError(error, this.path), this.path);
      if (!(told instanceof HeadroomError) || told.code !== 'FILE_CORRUPT') throw told;
      // A data set is made anew; there is nothing to save.
      throw new HeadroomError('FILE_CORRUPT', told.message, {
        hint: `Remove ${this.path} and import again.`,
        cause: told,
      });
    }
  }
}

/** What was found of a file: a session, or why there is none. */
export type FileFinding = Pick<KnownFile, 'path' | 'stamp'> &
  (
    | { session: FleetSession; checksum: string }
    /** Of a copy nothing more was read. */
    | { session: null; checksum: string }
    | {
        session: null;
        checksum: null;
        outcome: 'damaged' | 'blind';
        code: ErrorCode | null;
        reason: string;
      }
  );

function makeFolder(folder: string): void {
  try {
    makeFolders(folder);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === null) throw error;
    if (errno === 'EEXIST' || errno === 'ENOTDIR') {
      throw notAFolder('FILE_NOT_WRITABLE', folder, error);
    }
    throw new HeadroomError('FILE_NOT_WRITABLE', `${folder}: cannot be made (${errno})`, {
      hint: 'Choose another folder with --data DIR.',
      cause: error,
    });
  }
}

function notAFolder(code: ErrorCode, folder: string, cause: unknown): HeadroomError {
  return new HeadroomError(code, `${folder}: there is a file where a folder is to be`, {
    hint: 'Give the folder of the data set with --data DIR.',
    cause,
  });
}

function requireFile(file: string, folder: string): void {
  try {
    if (statSync(file, { throwIfNoEntry: false }) === undefined) throw nothingThere(folder);
  } catch (error) {
    const errno = errnoOf(error);
    if (error instanceof HeadroomError || errno === null) throw error;
    if (errno === 'ENOTDIR') throw notAFolder('FILE_NOT_FOUND', folder, error);
    throw readError(error, file);
  }
}

function nothingThere(folder: string): HeadroomError {
  return new HeadroomError('FILE_NOT_FOUND', `${folder}: there is no data set of a fleet`, {
    hint: 'Make one with `headroom fleet import DIR`, or say where it is with --data DIR.',
  });
}

function prepare(
  db: Database,
  { file, folder, mode }: { file: string; folder: string; mode: 'read' | 'create' },
): void {
  const id = db.pragma('application_id', { simple: true });
  const version = Number(db.pragma('user_version', { simple: true }));
  if (id === 0 && db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get() === 0) {
    // Whoever reads may be there before the tables are.
    if (mode === 'read') throw nothingThere(folder);
    transaction(db, 'immediate', () => createFleetSchema(db));
    return;
  }
  if (id !== fleetApplicationId) {
    throw new HeadroomError('FILE_EXISTS', `${file}: exists and is no data set of a fleet`, {
      hint: 'Choose another folder with --data DIR.',
    });
  }
  if (version > fleetSchemaVersion) {
    throw new HeadroomError('FILE_TOO_NEW', `${file}: written by a newer version of Headroom`, {
      hint: 'Update Headroom, or choose another folder with --data DIR.',
    });
  }
  if (mode === 'create') addLaterParts(db);
}
