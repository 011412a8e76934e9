import fs from 'node:fs';
import { errnoOf, HeadroomError } from '../model/errors.ts';

/** FILE_NOT_READABLE for a pipe or a device: to open one may wait forever. */
export function requireRegularFile(path: string): void {
  if (isSpecial(path)) {
    throw new HeadroomError('FILE_NOT_READABLE', `${path}: is not a regular file`, {
      hint: 'Give the file that `headroom record` wrote; from a pipe, write it to a file first.',
    });
  }
}

/** Whether there is something at a path that is neither a file nor a folder. */
export function isSpecial(path: string): boolean {
  try {
    const found = fs.statSync(path);
    return !found.isFile() && !found.isDirectory();
  } catch (error) {
    if (errnoOf(error) === null) throw error;
    // Told by whoever opens it, and a folder as well.
    return false;
  }
}
