import fs from 'node:fs';
import path from 'node:path';
import { errnoOf, HeadroomError } from '../../model/errors.ts';

/**
 * The recordings that arguments stand for, as absolute paths: a folder for every `.db` in it and in
 * the folders below, by name, without the file of a data set; anything else for itself. Links to
 * folders are not followed. FILE_NOT_FOUND, FILE_NOT_READABLE for what was named itself.
 */
export function findRecordings(paths: readonly string[], dataFile: string): string[] {
  const found = new Set<string>();
  for (const one of paths) {
    const full = path.resolve(one);
    for (const file of isFolder(full, one) ? filesBelow(full, one) : [full]) found.add(file);
  }
  found.delete(path.resolve(dataFile));
  return [...found];
}

/** What changes when a file, or the log beside it, is written to. */
export function fileStamp(file: string): string {
  const parts = [file, `${file}-wal`].map((part) => fs.statSync(part, { throwIfNoEntry: false }));
  return parts.flatMap((part) => (part === undefined ? [] : [part.size, part.mtimeMs])).join(' ');
}

function isFolder(full: string, given: string): boolean {
  try {
    return fs.statSync(full).isDirectory();
  } catch (error) {
    throw unreadable(error, given);
  }
}

function filesBelow(folder: string, given: string): string[] {
  try {
    return fs
      .readdirSync(folder, { withFileTypes: true })
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .flatMap((entry) => {
        const full = path.join(folder, entry.name);
        if (entry.isDirectory()) return filesBelow(full, full);
        return entry.name.endsWith('.db') && !isLinkToFolder(entry, full) ? [full] : [];
      });
  } catch (error) {
    throw unreadable(error, given);
  }
}

function isLinkToFolder(entry: fs.Dirent, full: string): boolean {
  if (!entry.isSymbolicLink()) return false;
  return fs.statSync(full, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function unreadable(error: unknown, given: string): unknown {
  const errno = errnoOf(error);
  if (errno === null || error instanceof HeadroomError) return error;
  if (errno === 'ENOENT' || errno === 'ENOTDIR') {
    return new HeadroomError('FILE_NOT_FOUND', `${given}: no such file or folder`, {
      cause: error,
    });
  }
  return new HeadroomError('FILE_NOT_READABLE', `${given}: cannot be read (${errno})`, {
    hint: 'Check the permissions of the folder.',
    cause: error,
  });
}
