import { type ErrorCode, errnoOf, HeadroomError } from '../model/errors.ts';
import { sqliteDriver } from './choose-driver.ts';

/**
 * One connection to a SQLite file, as far as this project uses it: the part that better-sqlite3 and
 * node:sqlite (see node-sqlite.ts) have in common, and the same on both by test
 * (test/store/driver-contract.test.ts). Everything is synchronous.
 */
export interface Database {
  readonly open: boolean;
  readonly inTransaction: boolean;
  /** One statement. It is compiled now and may be run any number of times. */
  prepare<Parameters extends unknown[] | object = unknown[], Row = unknown>(
    sql: string,
  ): Prepared<Parameters, Row>;
  /** Any number of statements, without their rows. */
  exec(sql: string): void;
  /** `PRAGMA source`; all of its rows, or with `simple` the first value of the first row. */
  pragma(source: string, options?: { simple?: boolean }): unknown;
  /** A second call does nothing. */
  close(): void;
}

/**
 * Parameters are numbers, texts, bytes or null, one for each `?`; or an array of them; or an object
 * with one property for each `@name`. A number is bound as floating-point, which a column of type
 * INTEGER takes as a whole number and an expression does not. A row is an object of its columns:
 * numbers, texts, `Uint8Array`, null. Integers beyond 2^53 are not written here: read, they are
 * rounded (better-sqlite3) or SQLITE_CORRUPT (node:sqlite).
 */
export interface Statement<Parameters extends unknown[] = unknown[], Row = unknown> {
  run(...parameters: Parameters): { changes: number | bigint };
  /** The first row; undefined when there is none. */
  get(...parameters: Parameters): Row | undefined;
  all(...parameters: Parameters): Row[];
  /** Row by row. Nothing else may be done with the connection before the last one, or a `break`. */
  iterate(...parameters: Parameters): IterableIterator<Row>;
  /** From now on a row is the value of its first column. */
  pluck(): Statement<Parameters, Row>;
}

/** By name there is one object of parameters. */
export type Prepared<Parameters, Row> = Parameters extends unknown[]
  ? Statement<Parameters, Row>
  : Statement<[Parameters], Row>;

export interface OpenOptions {
  mode: 'read' | 'write' | 'create';
  /** The longest wait for a lock that somebody else holds, ms. */
  busyTimeoutMs: number;
}

/**
 * Opens a SQLite file. ADDON_MISSING when there is no driver, DRIVER_UNKNOWN, else the error of
 * {@link fileError}.
 */
export function openDatabase(path: string, options: OpenOptions): Database {
  const driver = sqliteDriver();
  try {
    return driver.open(path, options);
  } catch (error) {
    throw fileError(error, path);
  }
}

/**
 * Does all of something or, when it throws, nothing of it. `deferred` holds no lock before it needs
 * one, and what it reads is one state of the file; `immediate` is the one writer from the beginning.
 * Within another one it is a part of that.
 */
export function transaction<Result>(
  db: Database,
  kind: 'deferred' | 'immediate',
  work: () => Result,
): Result {
  if (db.inTransaction) return work();
  db.exec(`BEGIN ${kind}`);
  try {
    const result = work();
    db.exec('COMMIT');
    return result;
  } catch (error) {
    // A full disk may have rolled it back already.
    if (db.inTransaction) db.exec('ROLLBACK');
    throw error;
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
    'Pull the file again, or save what is left: headroom verify FILE --repair OUT',
  ],
  [
    // Our own statements are fixed: a table or a column is missing, or the schema makes no sense.
    'SQLITE_ERROR',
    'FILE_CORRUPT',
    'not built as a recording is',
    'Pull the file again, or save what is left: headroom verify FILE --repair OUT',
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
