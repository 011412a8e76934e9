import { closeSync, existsSync, openSync, readSync, type Stats, statSync } from 'node:fs';
import { errnoOf, HeadroomError } from '../model/errors.ts';
import { fileNotFound } from '../model/file-not-found.ts';
import { parseDatabaseHeader, startsAsDatabase } from './sqlite-file/database-header.ts';

/**
 * What SQLite needs beside the main file. `in use`: its log and the index of that are there, as
 * beside a file that is recorded or whose recorder was killed. `log`: it would make both.
 * `journal`: it needs nothing.
 */
export type DatabaseState = 'in use' | 'log' | 'journal';

/**
 * Looks at a file before SQLite does, which would take an empty one for a new database. FILE_EMPTY,
 * FILE_NOT_A_DATABASE, FILE_CORRUPT when its end is missing, FILE_NOT_FOUND, FILE_NOT_READABLE.
 */
export function inspectDatabaseFile(path: string): DatabaseState {
  refuseWhatIsNoFile(path);
  // Not looked into: closing a second descriptor would drop the locks that a recorder in this very
  // process has on the file (sqlite.org/howtocorrupt.html, "posix advisory locks canceled").
  if (existsSync(`${path}-wal`) && existsSync(`${path}-shm`)) return 'in use';
  const header = readHeader(path);
  refuseWhatIsNoDatabase(path, header);
  return parseDatabaseHeader(header)?.usesLog === true ? 'log' : 'journal';
}

// To open a pipe or a device may wait for ever.
function refuseWhatIsNoFile(path: string): void {
  const found = statOf(path);
  if (found.isFile()) return;
  if (found.isDirectory()) {
    throw new HeadroomError('FILE_NOT_READABLE', `${path}: is a folder, not a file`);
  }
  throw new HeadroomError('FILE_NOT_READABLE', `${path}: is not a regular file`, {
    hint: 'Give the file that `headroom record` wrote; from a pipe, write it to a file first.',
  });
}

function statOf(path: string): Stats {
  try {
    return statSync(path);
  } catch (error) {
    throw readError(error, path);
  }
}

function readHeader(path: string): Buffer {
  try {
    const file = openSync(path, 'r');
    try {
      const buffer = Buffer.alloc(512);
      return buffer.subarray(0, readSync(file, buffer));
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw readError(error, path);
  }
}

/** What the system says about a file that cannot be read: FILE_NOT_FOUND, FILE_NOT_READABLE. */
export function readError(error: unknown, path: string): unknown {
  const errno = errnoOf(error);
  if (errno === null) return error;
  if (path === '') {
    return new HeadroomError('FILE_NOT_FOUND', 'an empty name ("") is no file', {
      hint: 'Is a variable in the command line not set?',
      cause: error,
    });
  }
  if (errno === 'ENOENT' || errno === 'ENOTDIR') {
    return fileNotFound(path, 'file', error);
  }
  return new HeadroomError('FILE_NOT_READABLE', `${path}: cannot be read (${errno})`, {
    hint: 'Check the permissions of the file and of its folder.',
    cause: error,
  });
}

function refuseWhatIsNoDatabase(path: string, header: Buffer): void {
  if (header.length === 0) {
    throw new HeadroomError('FILE_EMPTY', `${path}: the file is empty (0 bytes)`, {
      hint: 'Pull the file again; nothing was recorded or the transfer failed.',
    });
  }
  if (!startsAsDatabase(header)) {
    const isHtml = /^\s*<(!doctype html|html|head|body|\?xml)/i.test(header.toString('latin1'));
    throw new HeadroomError(
      'FILE_NOT_A_DATABASE',
      `${path}: not a database${isHtml ? ' (looks like HTML)' : ''}`,
      {
        hint: isHtml
          ? 'An error page was saved in its place: pull the file again.'
          : 'Give a file that `headroom record` wrote.',
      },
    );
  }
  if (isCutOff(path, header)) {
    throw new HeadroomError(
      'FILE_CORRUPT',
      `${path}: the end of the file is missing (it has ${statSync(path).size} bytes)`,
      {
        hint: 'Pull the file again, or save what is left: headroom verify FILE --repair OUT',
      },
    );
  }
}

// SQLite takes a last page that is missing for an empty one. Beside a log the header of the main
// file may be ahead of it.
function isCutOff(path: string, bytes: Buffer): boolean {
  const header = parseDatabaseHeader(bytes);
  if (header === null) return true;
  if (existsSync(`${path}-wal`) || header.pageCount === null) return false;
  return statSync(path).size < header.pageCount * header.pageSizeBytes;
}
