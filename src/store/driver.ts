import Sqlite from 'better-sqlite3';
import { type ErrorCode, errnoOf, HeadroomError } from '../model/errors.ts';

export type Database = Sqlite.Database;
export type Statement = Sqlite.Statement;

export interface OpenOptions {
  mode: 'read' | 'write' | 'create';
  /** The longest wait for a lock that somebody else holds, ms. */
  busyTimeoutMs: number;
}

/**
 * Opens a SQLite file. ADDON_MISSING when the native part of better-sqlite3 cannot be loaded, else
 * the error of {@link fileError}.
 */
export function openDatabase(path: string, options: OpenOptions): Database {
  try {
    return new Sqlite(path, {
      readonly: options.mode === 'read',
      fileMustExist: options.mode !== 'create',
      timeout: options.busyTimeoutMs,
    });
  } catch (error) {
    if (sqliteCode(error) === null) throw addonError(error);
    throw fileError(error, path);
  }
}

/** The result code of SQLite (sqlite.org/rescode.html), or null for any other error. */
export function sqliteCode(error: unknown): string | null {
  const code = errnoOf(error);
  return code?.startsWith('SQLITE_') ? code : null;
}

/** What SQLite says about a file, in the project's words. Anything else is returned as it is. */
export function fileError(error: unknown, path: string): unknown {
  const code = sqliteCode(error);
  if (code === null) return error;
  const known = knownCodes.find(([prefix]) => code.startsWith(prefix));
  const driverMessage = error instanceof Error ? error.message : String(error);
  if (known === undefined) {
    return new HeadroomError('INTERNAL', `${path}: ${driverMessage} (${code})`, { cause: error });
  }
  const [, ourCode, what, hint] = known;
  return new HeadroomError(ourCode, `${path}: ${what} (${driverMessage})`, { hint, cause: error });
}

const knownCodes: readonly (readonly [string, ErrorCode, string, string])[] = [
  ['SQLITE_NOTADB', 'FILE_NOT_A_DATABASE', 'not a database', 'Check where the file came from.'],
  [
    'SQLITE_CORRUPT',
    'FILE_CORRUPT',
    'the file is damaged',
    'Pull the file again, or use another copy of it.',
  ],
  [
    // Our own statements are fixed: a table or a column is missing, or the schema makes no sense.
    'SQLITE_ERROR',
    'FILE_CORRUPT',
    'not built as a recording is',
    'Pull the file again, or use another copy of it.',
  ],
  [
    'SQLITE_FULL',
    'STORE_FULL',
    'no space left to write to',
    'Free some space or choose another folder.',
  ],
  [
    'SQLITE_IOERR_SHMSIZE',
    'STORE_FULL',
    'no space left to write to',
    'Free some space or choose another folder.',
  ],
  [
    'SQLITE_BUSY',
    'STORE_BUSY',
    'locked by another program',
    'Close the program that writes to the file, such as a SQLite shell, and try again.',
  ],
  [
    'SQLITE_READONLY',
    'FILE_NOT_WRITABLE',
    'cannot be written',
    'Check the permissions of the file and of its folder.',
  ],
  [
    'SQLITE_CANTOPEN',
    'FILE_NOT_READABLE',
    'cannot be opened',
    'Check the permissions of the file and of its folder.',
  ],
  ['SQLITE_IOERR', 'FILE_NOT_READABLE', 'the disk failed', 'Check the disk and the mount.'],
];

function addonError(error: unknown): unknown {
  const message = error instanceof Error ? error.message : String(error);
  const fromLoader =
    errnoOf(error) === 'ERR_DLOPEN_FAILED' || errnoOf(error) === 'MODULE_NOT_FOUND';
  if (!fromLoader && !message.includes('bindings file')) return error;
  return new HeadroomError(
    'ADDON_MISSING',
    `the native part of better-sqlite3 cannot be loaded: ${message.split('\n')[0]}`,
    {
      hint: 'Run `npm rebuild better-sqlite3`; where npm blocks install scripts (npm 12 and later), run `npm install-scripts approve better-sqlite3` first.',
      cause: error,
    },
  );
}
