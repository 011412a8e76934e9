import fs from 'node:fs';
import path from 'node:path';
import { HeadroomError } from '../model/errors.ts';
import { orNull } from '../model/or-null.ts';

// NAME_MAX of Linux, and the longest of the names that SQLite makes of ours.
const longestNameBytes = 255 - '-journal'.length;

/**
 * The path of a recording that is to be written, such that SQLite takes it for that of a file.
 * FILE_NOT_WRITABLE for a name that leaves no room for what SQLite puts beside the file, for a link to
 * nothing, and for a pipe or a device.
 */
export function recordingPath(out: string): string {
  if (Buffer.byteLength(path.basename(out)) > longestNameBytes) {
    throw notWritable(out, `its name is longer than ${longestNameBytes} bytes`);
  }
  if (isLink(out) && !fs.existsSync(out)) throw notWritable(out, 'is a link to nothing');
  if (isSpecial(out)) throw notWritable(out, 'is not a regular file');
  // sqlite.org/inmemorydb.html, sqlite.org/uri.html
  return /^(:memory:$|file:)/.test(out) ? `./${out}` : out;
}

/** Whether there is something that is neither a file nor a folder. */
function isSpecial(path: string): boolean {
  // What cannot be looked at is told by whoever opens it.
  const found = orNull(() => fs.statSync(path));
  return found !== null && !found.isFile() && !found.isDirectory();
}

function isLink(path: string): boolean {
  return orNull(() => fs.lstatSync(path))?.isSymbolicLink() ?? false;
}

function notWritable(out: string, what: string): HeadroomError {
  return new HeadroomError('FILE_NOT_WRITABLE', `${out}: ${what}`, {
    hint: 'Choose another file.',
  });
}
