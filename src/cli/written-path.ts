import fs from 'node:fs';
import { fileNotFound, isMisread } from '../model/file-not-found.ts';

/**
 * A path that a user gave for something that is to be written. FILE_NOT_FOUND for a name that lost bytes
 * on its way here, as reading has it: what would be written had another name than the one asked for.
 */
export function writtenPath(path: string): string {
  if (!isMisread(path)) return path;
  // What follows the last of such names is text as it was given.
  const end = path.indexOf('/', path.lastIndexOf('\ufffd'));
  if (!fs.existsSync(end < 0 ? path : path.slice(0, end))) throw fileNotFound(path, 'file');
  return path;
}
