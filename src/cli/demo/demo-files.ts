import fs from 'node:fs';
import path from 'node:path';
import { errnoOf, HeadroomError } from '../../model/errors.ts';
import { makeFolders } from '../../store/make-folders.ts';
import { temporaryBeside } from '../../store/temporary-file.ts';
import { UsageError } from '../command.ts';
import { recordingPath } from '../recording-path.ts';

/** What a demo writes: the recording, and the post-mortem page beside it. */
export interface DemoFiles {
  recording: string;
  page: string;
  /** Removes the folders that were made for it and have come to nothing. */
  removeEmptyFolders(): void;
}

/**
 * The files of a demo, checked before anything is started: FILE_EXISTS, as neither is overwritten;
 * FILE_NOT_WRITABLE; UsageError for a recording that is named as a page. Makes their folder.
 */
export function demoFiles(out: string | null, now: Date): DemoFiles {
  if (out?.endsWith('/') === true) throw notWritable(out, 'names a folder, not a file');
  if (out !== null && /\.html?$/i.test(out)) {
    throw new UsageError(
      `--out names the recording, not its page: "${out.replace(/\.html?$/i, '.db')}", with the page beside it`,
    );
  }
  const recording = recordingPath(out ?? defaultFile(now));
  const page = `${recording.replace(/\.db$/, '')}.html`;
  const folder = path.dirname(recording);
  const firstMade = makeFolder(folder);
  for (const file of [recording, page]) refuseExisting(file);
  tryToWrite(recording);
  return { recording, page, removeEmptyFolders: () => removeEmpty(folder, firstMade) };
}

/** Gives the outermost folder that was not there before. */
function makeFolder(folder: string): string | null {
  try {
    return makeFolders(folder)[0] ?? null;
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === null) throw error;
    const isFile = errno === 'EEXIST' || errno === 'ENOTDIR';
    throw notWritable(folder, isFile ? 'a file is where a folder should be' : errno, error);
  }
}

// A folder that says it may be written to may still take no file, as those of /proc.
function tryToWrite(recording: string): void {
  const file = temporaryBeside(recording);
  try {
    fs.writeFileSync(file, '', { flag: 'wx' });
    fs.rmSync(file);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === null) throw error;
    throw notWritable(recording, `no file can be made there (${errno})`, error);
  }
}

function removeEmpty(folder: string, firstMade: string | null): void {
  if (firstMade === null) return;
  try {
    for (let each = path.resolve(folder); ; each = path.dirname(each)) {
      fs.rmdirSync(each);
      if (each === path.resolve(firstMade)) return;
    }
  } catch (error) {
    // Something is in it: then it stays.
    if (errnoOf(error) === null) throw error;
  }
}

function notWritable(what: string, why: string, cause?: unknown): HeadroomError {
  return new HeadroomError('FILE_NOT_WRITABLE', `${what}: ${why}`, {
    cause,
    hint: 'Choose another file with --out.',
  });
}

function defaultFile(now: Date): string {
  const time = now.toISOString().slice(0, 19).replace('T', '-').replaceAll(':', '');
  return path.join('recordings', `demo-${time}.db`);
}

function refuseExisting(file: string): void {
  if (fs.lstatSync(file, { throwIfNoEntry: false }) === undefined) return;
  throw new HeadroomError('FILE_EXISTS', `${file}: exists`, {
    hint: 'Choose another name with --out; a recording is never overwritten.',
  });
}
