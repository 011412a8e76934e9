import { errnoOf, HeadroomError } from '../model/errors.ts';

/**
 * What the system says of a file that is to be written: STORE_FULL, FILE_NOT_WRITABLE; any other error
 * as it is.
 */
export function notWritable(path: string, error: unknown): unknown {
  const errno = errnoOf(error);
  // A code of Node.js's own (`ERR_…`) or of SQLite is nothing that the system said.
  if (errno === null || !/^E[A-Z\d]+$/.test(errno)) return error;
  if (errno === 'ENOSPC' || errno === 'EDQUOT') {
    return new HeadroomError('STORE_FULL', `${path}: no space left to write to (${errno})`, {
      hint: 'Free some space or choose another folder.',
      cause: error,
    });
  }
  const what = errno === 'ENOENT' ? 'the folder does not exist' : 'cannot be written';
  return new HeadroomError('FILE_NOT_WRITABLE', `${path}: ${what} (${errno})`, {
    hint: 'Choose a folder that exists and that you may write to.',
    cause: error,
  });
}
