import fs from 'node:fs';
import { errnoOf, HeadroomError } from '../model/errors.ts';
import { isSealed } from '../store/seal/check-seal.ts';

/** What SQLite puts beside a database (sqlite.org/tempfiles.html). */
const companions = ['-wal', '-shm', '-journal'];

/**
 * FILE_EXISTS when writing to a path would destroy a recording: one that is being read, under
 * whatever name, any other SQLite database, or what SQLite keeps beside it. The path has no links. Throws
 * what the system says when a file cannot be looked into.
 */
export function refuseOverwriting(path: string, inputs: readonly string[]): void {
  const readFiles = inputs.flatMap((input) => [input, ...companions.map((end) => input + end)]);
  if (readFiles.some((file) => isSameFile(file, path))) {
    throw refusal(path, 'is what is being read');
  }
  if (isDatabase(path)) throw refusal(path, 'exists and is a recording or another database');
  // Also where there is none at the moment: SQLite would take it for its own.
  const end = companions.find((companion) => path.endsWith(companion));
  if (end !== undefined && isDatabase(path.slice(0, -end.length))) {
    throw refusal(path, 'belongs to the database beside it');
  }
}

const magic = 'SQLite format 3\0';

function isDatabase(path: string): boolean {
  if (statOf(path)?.isFile() !== true) return false;
  const file = fs.openSync(path, 'r');
  try {
    const start = Buffer.alloc(magic.length);
    fs.readSync(file, start);
    // Of a recording that is damaged at its beginning, the checksums at its end still tell.
    return start.toString('latin1') === magic || isSealed(path);
  } finally {
    fs.closeSync(file);
  }
}

function isSameFile(left: string, right: string): boolean {
  const [one, other] = [left, right].map((path) => statOf(path));
  return one != null && other != null && one.ino === other.ino && one.dev === other.dev;
}

// In whole numbers: an inode may be larger than a double can tell apart. What cannot be examined
// fails when it is opened, with its own error.
function statOf(path: string): fs.BigIntStats | undefined {
  try {
    return fs.statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    if (errnoOf(error) === null) throw error;
    return undefined;
  }
}

function refusal(path: string, what: string): HeadroomError {
  return new HeadroomError('FILE_EXISTS', `${path}: ${what}`, {
    hint: 'Choose another file; a recording is never overwritten.',
  });
}
