import { accessSync, closeSync, constants, existsSync, openSync, rmSync, statSync } from 'node:fs';
import { errnoOf, HeadroomError } from '../model/errors.ts';
import type { SessionFacts } from '../model/session.ts';
import { addAgentOsTable, hasAgentOsTable } from './agentos-rows.ts';
import { type Database, fileError, openDatabase, transaction } from './driver.ts';
import { migrate, schemaVersionOf } from './migrate.ts';
import { notWritable } from './not-writable.ts';
import { refuseMovedAway } from './open-for-change.ts';
import { writeFailure } from './outage.ts';
import { readingError } from './reading-error.ts';
import { isHeld, type RecorderIdentity } from './recorder-lock.ts';
import { setLogAside } from './rejoin-log.ts';
import { applicationId, createSchema, newestVersion } from './schema.ts';
import { readSession, writeSession } from './session-row.ts';

export interface OpenForWriting {
  path: string;
  facts: SessionFacts;
  /** Go on with the recording of another session. */
  resume: boolean;
  busyTimeoutMs: number;
  recorder: RecorderIdentity;
  isAlive: (recorder: RecorderIdentity) => boolean;
  /** A log that was left in the place of a new recording has this name now. */
  onLogAside: ((log: string) => void) | null;
}

/**
 * Opens a new or an existing recording and claims it for one recorder. FILE_EXISTS when the file is
 * something else or another session's, FILE_IN_USE when another recorder writes it, FILE_TOO_NEW,
 * FILE_NOT_WRITABLE, STORE_FULL, STORE_BUSY, FILE_CORRUPT; no row is changed in these cases.
 */
export function openForWriting(request: OpenForWriting): Database {
  const { path, busyTimeoutMs } = request;
  const isNew = createFile(path);
  makePlaceForLog(request, isNew);
  let db: Database | null = null;
  try {
    if (!isNew) refuseMovedAway(path, request.isAlive);
    db = openDatabase(path, { mode: 'create', busyTimeoutMs });
    refuseOtherDatabases(db, path);
    refuseOtherRecordings(db, request);
    // Counts only while the file is empty; with it pages that are no longer needed can be given back.
    db.pragma('auto_vacuum = INCREMENTAL');
    // The log is small and is emptied often: it shares a small disk with the browser.
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = NORMAL');
    // A sample touches the ends of a dozen tables, and a minute their rollups: that much is enough.
    db.pragma('cache_size = -256');
    db.pragma('wal_autocheckpoint = 256');
    db.pragma('journal_size_limit = 1048576');
    claim(db, request);
    rebuild(db, path);
    // So that the main file says what it is even when it is copied without its log.
    db.pragma('wal_checkpoint(TRUNCATE)');
    return db;
  } catch (error) {
    db?.close();
    if (isNew) remove(path);
    throw readingError(error, path);
  }
}

/** True when there was no such file; an empty one is made, which no other recorder can do as well. */
function createFile(path: string): boolean {
  try {
    closeSync(openSync(path, 'wx'));
    return true;
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw notWritable(path, error);
  }
  if (statSync(path).isDirectory()) {
    throw new HeadroomError('FILE_NOT_WRITABLE', `${path}: is a folder, not a file`);
  }
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return false;
  } catch (error) {
    throw notWritable(path, error);
  }
}

/**
 * SQLite would remove a log that it finds beside a file without a page: that of one that was moved away,
 * also that of a living recorder.
 */
function makePlaceForLog({ path, onLogAside }: OpenForWriting, isNew: boolean): void {
  try {
    const log = `${path}-wal`;
    if (statSync(path).size > 0 || !existsSync(log)) return;
    if (isHeld(`${path}-shm`) === true) {
      throw new HeadroomError('FILE_IN_USE', `${log}: the log of a recorder that still runs`, {
        hint: 'Its file was moved away while it is recorded: stop that recorder, or choose another file. When none runs, move the log to its file (NAME-wal) or away.',
      });
    }
    const aside = setLogAside(log);
    if (aside !== null) onLogAside?.(aside);
  } catch (error) {
    if (isNew) rmSync(path, { force: true });
    throw notWritable(path, error);
  }
}

/** On a full disk SQLite may not get to remove its own. */
function remove(path: string): void {
  for (const part of ['', '-wal', '-shm', '-journal']) rmSync(path + part, { force: true });
}

function refuseOtherDatabases(db: Database, path: string): void {
  let id: unknown;
  let objectCount: unknown;
  try {
    id = db.pragma('application_id', { simple: true });
    objectCount = db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get();
  } catch (error) {
    const ours = fileError(error, path);
    if (!(ours instanceof HeadroomError) || ours.code !== 'FILE_NOT_A_DATABASE') throw error;
    throw existing(path, 'exists and is not a recording');
  }
  if (id !== applicationId && (id !== 0 || objectCount !== 0)) {
    throw existing(path, 'exists and is a database of another program');
  }
}

function refuseOtherRecordings(db: Database, request: OpenForWriting): void {
  const { path, facts, resume, isAlive } = request;
  const version = schemaVersionOf(db);
  if (version > newestVersion) {
    throw new HeadroomError('FILE_TOO_NEW', `${path}: written by a newer version of Headroom`, {
      hint: 'Update Headroom, or choose another file.',
    });
  }
  const session = version === 0 ? null : readSession(db);
  if (session === null) return;
  const { recorder } = session;
  if (recorder !== null && isAlive(recorder)) {
    throw new HeadroomError('FILE_IN_USE', `${path}: process ${recorder.pid} records into it`, {
      hint: `Stop process ${recorder.pid}, or choose another file.`,
    });
  }
  if (session.facts.id !== facts.id && !resume) {
    throw existing(path, `exists and is the recording of session ${session.facts.id}`);
  }
}

/** Within a transaction, so that of two recorders at once only one gets the file. */
function claim(db: Database, request: OpenForWriting): void {
  const { facts, recorder } = request;
  transaction(db, 'immediate', () => {
    refuseOtherRecordings(db, request);
    if (schemaVersionOf(db) === 0) createSchema(db);
    else migrate(db);
    if (facts.source === 'agentos' && !hasAgentOsTable(db)) addAgentOsTable(db);
    if (readSession(db)?.facts.machine.bootId !== facts.machine.bootId) forgetProcesses(db);
    writeSession(db, facts, recorder);
  });
}

/** A file that was begun without it, by an earlier version, gets `auto_vacuum` by being rewritten. */
function rebuild(db: Database, path: string): void {
  if (db.pragma('auto_vacuum', { simple: true }) !== 0) return;
  try {
    db.pragma('auto_vacuum = INCREMENTAL');
    db.exec('VACUUM');
  } catch (error) {
    // Without the space for a second copy it is a recording as well.
    writeFailure(error, path);
  }
}

/** After a reboot nothing of the earlier run is there any more. */
function forgetProcesses(db: Database): void {
  db.exec(`
    UPDATE process SET
      last_sequence = (SELECT max(sequence) FROM tick),
      last_unix_ms = (SELECT time_unix_ms FROM tick ORDER BY sequence DESC LIMIT 1)
    WHERE last_sequence IS NULL`);
}

function existing(path: string, what: string): HeadroomError {
  return new HeadroomError('FILE_EXISTS', `${path}: ${what}`, {
    hint: 'Choose another file; nothing is ever overwritten.',
  });
}
