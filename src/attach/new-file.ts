import fs from 'node:fs';
import path from 'node:path';
import { errnoOf, HeadroomError } from '../model/errors.ts';

/**
 * FILE_EXISTS where there is something already: no recording is ever overwritten. FILE_NOT_WRITABLE
 * where no file can be made: that is better known before a session is recorded than after.
 */
export function requireNewFile(out: string): void {
  try {
    if (fs.lstatSync(out, { throwIfNoEntry: false }) === undefined) {
      fs.accessSync(path.dirname(path.resolve(out)), fs.constants.W_OK | fs.constants.X_OK);
      return;
    }
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === null) throw error;
    const what = errno === 'ENOENT' ? 'the folder does not exist' : 'cannot be written';
    throw new HeadroomError('FILE_NOT_WRITABLE', `${out}: ${what} (${errno})`, {
      hint: 'Choose a folder that exists and that you may write to.',
      cause: error,
    });
  }
  throw new HeadroomError('FILE_EXISTS', `${out}: exists`, {
    hint: 'Choose another name; a recording is never overwritten.',
  });
}
