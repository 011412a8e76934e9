import { constants, copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { errnoOf, HeadroomError } from '../model/errors.ts';
import { inspectDatabaseFile } from './database-file.ts';
import { type Database, fileError, openDatabase, sqliteCode, transaction } from './driver.ts';
import { migrate, schemaVersionOf } from './migrate.ts';
import { readingError } from './reading-error.ts';
import { applicationId, newestVersion, schemaVersion } from './schema.ts';

export interface OpenedFile {
  db: Database;
  close(): void;
}

// A reader waits for nothing but the moment in which a log is made or removed.
const busyTimeoutMs = 1000;

/**
 * Opens a recording for reading and leaves the file and its folder as they are; of an earlier format
 * a copy is brought up to date, in this temporary folder or else the system's. FILE_NOT_FOUND,
 * FILE_NOT_READABLE, FILE_EMPTY, FILE_NOT_A_DATABASE, FILE_NOT_A_RECORDING, FILE_TOO_NEW,
 * FILE_CORRUPT.
 */
export function openForReading(path: string, temporaryFolder?: string): OpenedFile {
  const opened = canBeReadInPlace(path)
    ? openInPlace(path, temporaryFolder)
    : openCopy(path, temporaryFolder);
  return ofThisFormat(opened, path, (db) => openMigrated(db, path, temporaryFolder));
}

/** Null for what {@link openForReading} would have to copy. Errors: as there. */
export function openUncopied(path: string): OpenedFile | null {
  if (!canBeReadInPlace(path)) return null;
  return ofThisFormat(openInPlace(path, undefined), path, () => null);
}

/** The file, or what is made of one of an earlier format. */
function ofThisFormat<T>(
  opened: OpenedFile,
  path: string,
  ofEarlier: (db: Database) => T,
): OpenedFile | T {
  try {
    refuseWhatIsNotOurs(opened.db, path);
    if (schemaVersionOf(opened.db) >= schemaVersion) return opened;
    const made = ofEarlier(opened.db);
    opened.close();
    return made;
  } catch (error) {
    opened.close();
    throw readingError(error, path);
  }
}

function canBeReadInPlace(path: string): boolean {
  const state = inspectDatabaseFile(path);
  // A log that SQLite would make here, it would also leave here. An old journal it would play back.
  return state === 'in use' || (state === 'journal' && !existsSync(`${path}-journal`));
}

/** FILE_NOT_A_RECORDING for a database of another program, FILE_TOO_NEW for a later format. */
export function refuseWhatIsNotOurs(db: Database, path: string): void {
  // Reads the first page and the schema: a damaged or cut file fails here.
  db.prepare('SELECT count(*) FROM sqlite_schema').get();
  if (db.pragma('application_id', { simple: true }) !== applicationId) {
    throw new HeadroomError('FILE_NOT_A_RECORDING', `${path}: a database of another program`, {
      hint: notOursHint,
    });
  }
  const version = schemaVersionOf(db);
  if (version > newestVersion) {
    throw new HeadroomError(
      'FILE_TOO_NEW',
      `${path}: written by a newer version of Headroom (format ${version}, known is ${newestVersion})`,
      { hint: 'Update Headroom.' },
    );
  }
}

const notOursHint = 'Give a file that `headroom record` wrote.';

function openInPlace(path: string, temporaryFolder: string | undefined): OpenedFile {
  const db = openDatabase(path, { mode: 'read', busyTimeoutMs });
  try {
    db.prepare('SELECT count(*) FROM sqlite_schema').get();
    return { db, close: () => db.close() };
  } catch (error) {
    db.close();
    // The index was left by a recorder that was killed, and this user may not put it right.
    if (/^SQLITE_(READONLY|CANTOPEN)/.test(sqliteCode(error) ?? '')) {
      return openCopy(path, temporaryFolder);
    }
    throw fileError(error, path);
  }
}

function openCopy(path: string, temporaryFolder: string | undefined): OpenedFile {
  return inTemporaryFolder(path, temporaryFolder, (copy) => {
    for (const part of ['', '-wal', '-journal']) {
      if (part === '' || existsSync(path + part)) {
        copyFileSync(path + part, copy + part, constants.COPYFILE_FICLONE);
      }
    }
    return openDatabase(copy, { mode: 'write', busyTimeoutMs });
  });
}

/** A recorder of the earlier version may be writing it: what is copied is one state of it. */
function openMigrated(db: Database, path: string, temporaryFolder: string | undefined): OpenedFile {
  return inTemporaryFolder(path, temporaryFolder, (copy) => {
    db.prepare('VACUUM INTO ?').run(copy);
    const migrated = openDatabase(copy, { mode: 'write', busyTimeoutMs });
    try {
      transaction(migrated, 'deferred', () => migrate(migrated));
      return migrated;
    } catch (error) {
      migrated.close();
      throw error;
    }
  });
}

/** The folder goes with the copy, or when there is none after all. */
function inTemporaryFolder(
  path: string,
  temporaryFolder: string | undefined,
  open: (copy: string) => Database,
): OpenedFile {
  const parent = temporaryFolder ?? tmpdir();
  let folder: string | null = null;
  const remove = () => {
    if (folder !== null) rmSync(folder, { recursive: true, force: true });
  };
  try {
    folder = mkdtempSync(join(parent, 'headroom-'));
    const db = open(join(folder, basename(path)));
    const close = () => {
      db.close();
      remove();
    };
    return { db, close };
  } catch (error) {
    remove();
    const errno = errnoOf(error);
    if (error instanceof HeadroomError || errno === null) throw error;
    // Not the copying failed, but what was copied makes no sense.
    if (/^SQLITE_(?!FULL|CANTOPEN|READONLY|IOERR)/.test(errno)) throw error;
    throw new HeadroomError(
      'FILE_NOT_READABLE',
      `${path}: cannot be copied to ${parent} to be read (${errno})`,
      { hint: 'Set TMPDIR to a folder with enough space.', cause: error },
    );
  }
}
