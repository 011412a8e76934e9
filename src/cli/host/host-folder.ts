import fs from 'node:fs';
import path from 'node:path';
import { errnoOf, HeadroomError } from '../../model/errors.ts';
import { makeFolders } from '../../store/make-folders.ts';

/** Makes the folder in which a host has its sessions, and one for them in it. FILE_NOT_WRITABLE. */
export function makeHostFolder(dataFolder: string): void {
  const sessions = path.join(dataFolder, 'sessions');
  try {
    makeFolders(sessions);
    fs.accessSync(sessions, fs.constants.W_OK | fs.constants.X_OK);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === null) throw error;
    const message = `${dataFolder}: no sessions can have their files there (${errno})`;
    throw new HeadroomError('FILE_NOT_WRITABLE', message, {
      hint: 'Choose another folder with --data DIR.',
      cause: error,
    });
  }
}
