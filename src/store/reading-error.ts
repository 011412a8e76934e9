import { HeadroomError } from '../model/errors.ts';
import { fileError, sqliteCode } from './driver.ts';

/**
 * What went wrong in reading a recording, with the file named: FILE_CORRUPT when what is there is
 * not what a recorder writes, else as {@link fileError}.
 */
export function readingError(error: unknown, path: string): unknown {
  if (!(error instanceof Error)) return error;
  const isDamage =
    // A text column that is no JSON; a figure or a weight that no distribution takes.
    error instanceof SyntaxError ||
    error instanceof RangeError ||
    oddValueCodes.test(sqliteCode(error) ?? '');
  const isNameless =
    error instanceof HeadroomError &&
    error.code === 'FILE_CORRUPT' &&
    !error.message.startsWith(path);
  return isDamage || isNameless ? damagedFile(path, error.message) : fileError(error, path);
}

// SQLite computes some columns when they are read, and meets a value of another type there.
const oddValueCodes = /^SQLITE_(CONSTRAINT_DATATYPE|MISMATCH|TOOBIG)$/;

export function damagedFile(path: string, what: string): HeadroomError {
  return new HeadroomError('FILE_CORRUPT', `${path}: ${what}`, {
    hint: 'Pull the file again, or save what is left: headroom verify FILE --repair OUT',
  });
}
