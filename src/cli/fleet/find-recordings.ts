import fs from 'node:fs';
import path from 'node:path';
import { errnoOf, HeadroomError } from '../../model/errors.ts';
import { fileNotFound } from '../../model/file-not-found.ts';

export interface FoundRecordings {
  files: string[];
  /** Folders below the ones that were named, which cannot be read. */
  unreadable: UnreadableFolder[];
}

export interface UnreadableFolder {
  folder: string;
  error: HeadroomError;
}

/**
 * The recordings that arguments stand for, as absolute paths: a folder for every `.db` in it and in
 * the folders below, by name, without the file of a data set; anything else for itself. Links to
 * folders are not followed. FILE_NOT_FOUND, FILE_NOT_READABLE for what was named itself.
 */
export function findRecordings(paths: readonly string[], dataFile: string): FoundRecordings {
  const found = new Set<string>();
  const unreadable: UnreadableFolder[] = [];
  for (const one of paths) {
    const full = path.resolve(one);
    const files = isFolder(full, one) ? filesBelow(full, one, unreadable) : [full];
    for (const file of files) found.add(file);
  }
  found.delete(path.resolve(dataFile));
  return { files: [...found], unreadable };
}

/** What changes when a file, or the log beside it, is written to; FILE_NOT_FOUND, FILE_NOT_READABLE. */
export function fileStamp(file: string): string {
  const parts = [file, `${file}-wal`].map((part) => statOf(part, file));
  return parts.flatMap((part) => (part === undefined ? [] : [part.size, part.mtimeMs])).join(' ');
}

function statOf(part: string, file: string): fs.Stats | undefined {
  try {
    return fs.statSync(part, { throwIfNoEntry: false });
  } catch (error) {
    throw unreadableError(error, file);
  }
}

function isFolder(full: string, given: string): boolean {
  try {
    return fs.statSync(full).isDirectory();
  } catch (error) {
    throw unreadableError(error, given);
  }
}

function filesBelow(folder: string, given: string, unreadable: UnreadableFolder[]): string[] {
  try {
    return fs
      .readdirSync(folder, { withFileTypes: true })
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .flatMap((entry) => {
        const full = path.join(folder, entry.name);
        if (entry.isDirectory()) return filesOfPart(full, unreadable);
        return entry.name.endsWith('.db') && !isLinkToFolder(entry, full) ? [full] : [];
      });
  } catch (error) {
    throw unreadableError(error, given);
  }
}

/** A folder that cannot be read keeps no other from being read. */
function filesOfPart(folder: string, unreadable: UnreadableFolder[]): string[] {
  try {
    return filesBelow(folder, folder, unreadable);
  } catch (error) {
    if (!(error instanceof HeadroomError)) throw error;
    unreadable.push({ folder, error });
    return [];
  }
}

/** A link that leads nowhere, or in a circle, is left for whoever reads it to tell. */
function isLinkToFolder(entry: fs.Dirent, full: string): boolean {
  if (!entry.isSymbolicLink()) return false;
  try {
    return fs.statSync(full).isDirectory();
  } catch (error) {
    if (errnoOf(error) === null) throw error;
    return false;
  }
}

function unreadableError(error: unknown, given: string): unknown {
  const errno = errnoOf(error);
  if (errno === null || error instanceof HeadroomError) return error;
  if (errno === 'ENOENT' || errno === 'ENOTDIR') {
    return fileNotFound(given, 'file or folder', error);
  }
  return new HeadroomError('FILE_NOT_READABLE', `${given}: cannot be read (${errno})`, {
    hint: 'Check the permissions of the folder.',
    cause: error,
  });
}
