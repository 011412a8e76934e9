import { HeadroomError } from '../model/errors.ts';
import { fileError } from './driver.ts';

/**
 * What went wrong in reading a recording, with the file named: FILE_CORRUPT when what is there is
 * not what a recorder writes, else as {@link fileError}.
 */
export function readingError(error: unknown, path: string): unknown {
  // A text column that is no JSON; a figure or a weight that no distribution takes.
  const isOdd = error instanceof SyntaxError || error instanceof RangeError;
  const isNameless =
    error instanceof HeadroomError &&
    error.code === 'FILE_CORRUPT' &&
    !error.message.startsWith(path);
  return isOdd || isNameless ? damagedFile(path, error.message) : fileError(error, path);
}

export function damagedFile(path: string, what: string): HeadroomError {
  return new HeadroomError('FILE_CORRUPT', `${path}: ${what}`, {
    hint: 'Pull the file again, or use another copy of it.',
  });
}
