import fs from 'node:fs';
import path from 'node:path';
import { errnoOf, HeadroomError } from '../../model/errors.ts';
import { recordingPath } from '../recording-path.ts';

/** What a demo writes: the recording, and the post-mortem page beside it. */
export interface DemoFiles {
  recording: string;
  page: string;
}

/**
 * The files of a demo, checked before anything is started: FILE_EXISTS, as neither is overwritten;
 * FILE_NOT_WRITABLE. Makes their folder.
 */
export function demoFiles(out: string | null, now: Date): DemoFiles {
  const recording = recordingPath(out ?? defaultFile(now));
  const page = `${recording.replace(/\.db$/, '')}.html`;
  makeFolder(path.dirname(recording));
  for (const file of [recording, page]) refuseExisting(file);
  return { recording, page };
}

function makeFolder(folder: string): void {
  try {
    fs.mkdirSync(folder, { recursive: true });
    fs.accessSync(folder, fs.constants.W_OK);
  } catch (cause) {
    if (errnoOf(cause) === null) throw cause;
    throw new HeadroomError('FILE_NOT_WRITABLE', `${folder}: ${errnoOf(cause)}`, {
      cause,
      hint: 'Choose another folder with --out.',
    });
  }
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
