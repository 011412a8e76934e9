import fs from 'node:fs';
import path from 'node:path';
import { errnoOf, HeadroomError } from '../model/errors.ts';
import { temporaryBeside } from '../store/temporary-file.ts';
import { systemWords } from './output-file.ts';
import { recordingPath } from './recording-path.ts';

/**
 * Makes a recording out of another one. It gets its name when it is whole and on the disk; one that
 * fails leaves nothing. `make` writes the file that it is given and puts it on the disk. FILE_EXISTS
 * when there is anything of that name, FILE_NOT_WRITABLE, and what `make` throws.
 */
export function makeDatabase<T>(out: string, make: (temporary: string) => T): T {
  const to = recordingPath(out);
  const folder = path.dirname(to);
  refuse(to, out);
  const temporary = temporaryBeside(to);
  try {
    const result = make(temporary);
    // Somebody else may have made something of that name meanwhile.
    refuse(to, out);
    fs.renameSync(temporary, to);
    syncFolder(folder);
    return result;
  } catch (error) {
    throw inWordsOfUser(error, { temporary, out });
  } finally {
    for (const part of ['', '-journal', '-wal', '-shm']) {
      fs.rmSync(temporary + part, { force: true });
    }
  }
}

function refuse(to: string, out: string): void {
  try {
    // SQLite does not say what is wrong with a folder. The dot: of a file it is told that it is none.
    fs.accessSync(`${path.dirname(to)}/.`, fs.constants.W_OK | fs.constants.X_OK);
    if (fs.lstatSync(to, { throwIfNoEntry: false }) === undefined) return;
  } catch (error) {
    throw notWritable(error, out);
  }
  throw new HeadroomError('FILE_EXISTS', `${out}: exists`, {
    hint: 'Choose another name; a recording is never overwritten.',
  });
}

/** So that the new name, too, is there after a loss of power. */
function syncFolder(folder: string): void {
  const handle = fs.openSync(folder, 'r');
  try {
    fs.fsyncSync(handle);
  } finally {
    fs.closeSync(handle);
  }
}

function inWordsOfUser(error: unknown, file: { temporary: string; out: string }): unknown {
  if (error instanceof HeadroomError) {
    if (!error.message.startsWith(file.temporary)) return error;
    const message = file.out + error.message.slice(file.temporary.length);
    const isFolder = error.code === 'FILE_NOT_READABLE';
    return new HeadroomError(isFolder ? 'FILE_NOT_WRITABLE' : error.code, message, {
      ...(error.hint === null ? {} : { hint: error.hint }),
      cause: error,
    });
  }
  return notWritable(error, file.out);
}

function notWritable(error: unknown, out: string): unknown {
  const errno = errnoOf(error);
  if (errno === null) return error;
  return new HeadroomError('FILE_NOT_WRITABLE', `${out}: ${systemWords(errno)}`, {
    hint: 'Choose a folder that exists and that you may write to.',
    cause: error,
  });
}
