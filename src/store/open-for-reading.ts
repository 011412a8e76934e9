import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { errnoOf, HeadroomError } from '../model/errors.ts';
import { type Database, fileError, openDatabase, sqliteCode } from './driver.ts';
import { applicationId, schemaVersion } from './schema.ts';

export interface OpenedFile {
  db: Database;
  close(): void;
}

// A reader waits for nothing but the moment in which a log is made or removed.
const busyTimeoutMs = 1000;

/**
 * Opens a recording for reading and leaves the file and its folder as they are. FILE_NOT_FOUND,
 * FILE_NOT_READABLE, FILE_EMPTY, FILE_NOT_A_DATABASE, FILE_NOT_A_RECORDING, FILE_TOO_NEW,
 * FILE_CORRUPT.
 */
export function openForReading(path: string, temporaryFolder: string): OpenedFile {
  const header = databaseHeader(path);
  const opened = canBeReadInPlace(path, header)
    ? openInPlace(path, temporaryFolder)
    : openCopy(path, temporaryFolder);
  try {
    refuseWhatIsNotOurs(opened.db, path);
    return opened;
  } catch (error) {
    opened.close();
    throw fileError(error, path);
  }
}

/** The first bytes of a SQLite file; the error of {@link openForReading} for any other file. */
export function databaseHeader(path: string): Buffer {
  const header = readHeader(path);
  refuseWhatIsNoDatabase(path, header);
  return header;
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
  const version = Number(db.pragma('user_version', { simple: true }));
  if (version > schemaVersion) {
    throw new HeadroomError(
      'FILE_TOO_NEW',
      `${path}: written by a newer version of Headroom (format ${version}, known is ${schemaVersion})`,
      { hint: 'Update Headroom.' },
    );
  }
}

function readHeader(path: string): Buffer {
  try {
    if (statSync(path).isDirectory()) {
      throw new HeadroomError('FILE_NOT_READABLE', `${path}: is a folder, not a file`);
    }
    const file = openSync(path, 'r');
    try {
      const buffer = Buffer.alloc(512);
      return buffer.subarray(0, readSync(file, buffer));
    } finally {
      closeSync(file);
    }
  } catch (error) {
    const errno = errnoOf(error);
    if (error instanceof HeadroomError || errno === null) throw error;
    if (errno === 'ENOENT' || errno === 'ENOTDIR') {
      throw new HeadroomError('FILE_NOT_FOUND', `${path}: no such file`, { cause: error });
    }
    throw new HeadroomError('FILE_NOT_READABLE', `${path}: cannot be read (${errno})`, {
      hint: 'Check the permissions of the file and of its folder.',
      cause: error,
    });
  }
}

// https://www.sqlite.org/fileformat2.html, "The Database Header".
const magic = 'SQLite format 3\0';
const headerBytes = 100;
const pageSizeOffset = 16;
const readVersionOffset = 19;
const changeCounterOffset = 24;
const pageCountOffset = 28;
const sizeValidForOffset = 92;
const walVersion = 2;

function refuseWhatIsNoDatabase(path: string, header: Buffer): void {
  if (header.length === 0) {
    throw new HeadroomError('FILE_EMPTY', `${path}: the file is empty (0 bytes)`, {
      hint: 'Pull the file again; nothing was recorded or the transfer failed.',
    });
  }
  const text = header.toString('latin1');
  if (!text.startsWith(magic)) {
    const isHtml = /^\s*<(!doctype html|html|head|body|\?xml)/i.test(text);
    throw new HeadroomError(
      'FILE_NOT_A_DATABASE',
      `${path}: not a database${isHtml ? ' (looks like HTML)' : ''}`,
      { hint: isHtml ? 'An error page was saved in its place: pull the file again.' : notOursHint },
    );
  }
  if (isCutOff(path, header)) {
    throw new HeadroomError('FILE_CORRUPT', `${path}: the end of the file is missing`, {
      hint: 'Pull the file again, or use another copy of it.',
    });
  }
}

// SQLite takes a last page that is missing for an empty one. Beside a log the header of the main
// file may be ahead of it.
function isCutOff(path: string, header: Buffer): boolean {
  if (header.length < headerBytes) return true;
  if (existsSync(`${path}-wal`)) return false;
  const sizeIsValid =
    header.readUInt32BE(changeCounterOffset) === header.readUInt32BE(sizeValidForOffset);
  const storedPageSize = header.readUInt16BE(pageSizeOffset);
  const pageSize = storedPageSize === 1 ? 65_536 : storedPageSize;
  return sizeIsValid && statSync(path).size < header.readUInt32BE(pageCountOffset) * pageSize;
}

const notOursHint = 'Give a file that `headroom record` wrote.';

// A file in WAL mode can be read beside its log and the index of that; without them SQLite would
// make both, here, and leave them.
function canBeReadInPlace(path: string, header: Buffer): boolean {
  if (header[readVersionOffset] !== walVersion) return !existsSync(`${path}-journal`);
  return existsSync(`${path}-wal`) && existsSync(`${path}-shm`);
}

function openInPlace(path: string, temporaryFolder: string): OpenedFile {
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

function openCopy(path: string, temporaryFolder: string): OpenedFile {
  const folder = mkdtempSync(join(temporaryFolder, 'headroom-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const copy = join(folder, basename(path));
    for (const part of ['', '-wal', '-journal']) {
      if (part === '' || existsSync(path + part)) {
        copyFileSync(path + part, copy + part, constants.COPYFILE_FICLONE);
      }
    }
    const db = openDatabase(copy, { mode: 'write', busyTimeoutMs });
    const close = () => {
      db.close();
      remove();
    };
    return { db, close };
  } catch (error) {
    remove();
    const errno = errnoOf(error);
    if (error instanceof HeadroomError || errno === null) throw error;
    throw new HeadroomError(
      'FILE_NOT_READABLE',
      `${path}: cannot be copied to ${temporaryFolder} to be read (${errno})`,
      { hint: 'Set TMPDIR to a folder with enough space.', cause: error },
    );
  }
}
