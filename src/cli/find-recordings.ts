import fs from 'node:fs';
import path from 'node:path';
import { errnoOf, HeadroomError } from '../model/errors.ts';
import { fileNotFound } from '../model/file-not-found.ts';
import { orNull } from '../model/or-null.ts';
import { isFleetData } from '../store/fleet/fleet-file.ts';

export interface FoundRecordings {
  files: string[];
  /** Folders that cannot be read, and what was named and is not there. */
  unreadable: Unreadable[];
}

export interface Unreadable {
  path: string;
  error: HeadroomError;
}

/**
 * The recordings that arguments stand for, each once: a folder for every `.db` in it and in the folders
 * below, by name, but for the data set of a fleet; anything else for itself. Links to folders are not
 * followed. What cannot be read keeps no other from being found.
 */
export function findRecordings(paths: readonly string[]): FoundRecordings {
  const found = new Map<string, string>();
  const unreadable: Unreadable[] = [];
  for (const one of paths) {
    for (const file of filesOf(one, unreadable)) {
      const full = path.resolve(file);
      if (!found.has(full)) found.set(full, file);
    }
  }
  return { files: [...found.values()], unreadable };
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

function filesOf(given: string, unreadable: Unreadable[]): string[] {
  try {
    return fs.statSync(given).isDirectory() ? filesBelow(given, unreadable) : [given];
  } catch (error) {
    return leftOut(given, error, unreadable);
  }
}

function filesBelow(folder: string, unreadable: Unreadable[]): string[] {
  try {
    return fs
      .readdirSync(folder, { withFileTypes: true })
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .flatMap((entry) => {
        const full = path.join(folder, entry.name);
        if (entry.isDirectory()) return filesBelow(full, unreadable);
        const isMeant = entry.name.endsWith('.db') && !isLinkToFolder(entry, full);
        return isMeant && !isFleetData(full) ? [full] : [];
      });
  } catch (error) {
    return leftOut(folder, error, unreadable);
  }
}

function leftOut(path: string, thrown: unknown, unreadable: Unreadable[]): string[] {
  const error = unreadableError(thrown, path);
  if (!(error instanceof HeadroomError)) throw error;
  unreadable.push({ path, error });
  return [];
}

/** A link that leads nowhere, or in a circle, is left for whoever reads it to tell. */
function isLinkToFolder(entry: fs.Dirent, full: string): boolean {
  return entry.isSymbolicLink() && (orNull(() => fs.statSync(full))?.isDirectory() ?? false);
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
