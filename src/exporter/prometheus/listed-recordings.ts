import { type Dirent, readdirSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { errnoOf, HeadroomError } from '../../model/errors.ts';
import { isMisread } from '../../model/file-not-found.ts';

/** A recording as it lies there. */
export interface ListedFile {
  name: string;
  path: string;
  bytes: number;
  changedUnixMs: number;
  /** Whether a log of SQLite lies beside it, as while it is written. */
  hasLog: boolean;
  /** Another one when the file has been written to. */
  stamp: string;
}

// What SQLite reads beside a file: through a link, the latest rows of another one.
const logs = ['-wal', '-journal'];

/**
 * The recordings of a folder (`*.db`) by name, or one file: all that a server may read. A link that
 * leads out of the folder is not there; a file that was named itself may be a link to anywhere.
 * FILE_NOT_FOUND, FILE_NOT_READABLE for the folder.
 */
export function listedRecordings(source: string): ListedFile[] {
  const found = insideOf(source);
  return found.names.map((name) => fileOf(found.folder, name)).filter((file) => file !== null);
}

function insideOf(source: string): { folder: string; names: string[] } {
  try {
    if (!statSync(source).isDirectory()) {
      return { folder: realpathSync(path.dirname(source)), names: [path.basename(source)] };
    }
    const folder = realpathSync(source);
    const entries = readdirSync(folder, { withFileTypes: true });
    const inside = new Set(entries.filter((entry) => isInside(folder, entry)).map(nameOf));
    const away = new Set(entries.map(nameOf).filter((name) => !inside.has(name)));
    const names = [...inside].filter(
      (name) => name.endsWith('.db') && !logs.some((log) => away.has(name + log)),
    );
    return { folder, names: names.sort() };
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === null) throw error;
    const code = errno === 'ENOENT' ? 'FILE_NOT_FOUND' : 'FILE_NOT_READABLE';
    throw new HeadroomError(code, `${source}: cannot be read (${errno})`, {
      hint: 'Give a folder with recordings, or one recording.',
      cause: error,
    });
  }
}

function nameOf({ name }: Dirent): string {
  return name;
}

function isInside(folder: string, entry: Dirent): boolean {
  if (!entry.isSymbolicLink()) return entry.isFile();
  try {
    const target = realpathSync(path.join(folder, entry.name));
    return target.startsWith(folder.endsWith(path.sep) ? folder : folder + path.sep);
  } catch (error) {
    // Gone since, or a link to nowhere.
    if (errnoOf(error) === null) throw error;
    return false;
  }
}

function fileOf(folder: string, name: string): ListedFile | null {
  const file = path.join(folder, name);
  try {
    const stats = statSync(file);
    if (!stats.isFile()) return null;
    const log = statSync(`${file}-wal`, { throwIfNoEntry: false });
    const parts = [stats.ino, stats.size, stats.mtimeMs, log?.size, log?.mtimeMs];
    return {
      name,
      path: file,
      bytes: stats.size,
      changedUnixMs: stats.mtimeMs,
      hasLog: log !== undefined,
      stamp: parts.join(' '),
    };
  } catch (error) {
    if (errnoOf(error) === null) throw error;
    // Gone since; or of a name that is not UTF-8: whoever reads it says so.
    const unknown = { bytes: 0, changedUnixMs: 0, hasLog: false, stamp: '' };
    return isMisread(name) ? { name, path: file, ...unknown } : null;
  }
}
