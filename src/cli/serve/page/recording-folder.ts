import { readdirSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { errnoOf } from '../../../model/errors.ts';

/** A recording as it lies there. */
export interface FolderFile {
  name: string;
  path: string;
  bytes: number;
  /** Another one when the file has been written to. */
  stamp: string;
}

// A second brings no new tick.
const freshMs = 1_000;

/**
 * The recordings of a folder (`*.db`), or one file: what a page may ask for, by name. A name is looked
 * up and never joined, and a link that leads out of the folder is not there.
 */
export class RecordingFolder {
  readonly #source: string;
  readonly #monotonicMs: () => number;
  #files = new Map<string, FolderFile>();
  #readMs = Number.NEGATIVE_INFINITY;

  constructor(source: string, monotonicMs: () => number = () => performance.now()) {
    this.#source = source;
    this.#monotonicMs = monotonicMs;
  }

  /** By name; empty when the folder is gone. */
  files(): ReadonlyMap<string, FolderFile> {
    const nowMs = this.#monotonicMs();
    if (nowMs - this.#readMs < freshMs) return this.#files;
    this.#files = this.#read();
    this.#readMs = nowMs;
    return this.#files;
  }

  /** Null when there is none of this name. */
  find(name: string): FolderFile | null {
    return this.files().get(name) ?? null;
  }

  #read(): Map<string, FolderFile> {
    const files = new Map<string, FolderFile>();
    try {
      const isFolder = statSync(this.#source).isDirectory();
      const folder = realpathSync(isFolder ? this.#source : path.dirname(this.#source));
      const names = isFolder ? readdirSync(folder).filter((name) => name.endsWith('.db')) : null;
      for (const name of (names ?? [path.basename(this.#source)]).sort()) {
        // The file that was named itself may be a link to anywhere.
        const file = fileOf(folder, name, isFolder ? 'within' : 'anywhere');
        if (file !== null) files.set(name, file);
      }
    } catch (error) {
      if (errnoOf(error) === null) throw error;
      // Told by `/metrics`, which looks at the same folder.
    }
    return files;
  }
}

function fileOf(folder: string, name: string, links: 'anywhere' | 'within'): FolderFile | null {
  const file = path.join(folder, name);
  try {
    if (links === 'within' && !isWithin(folder, realpathSync(file))) {
      return null;
    }
    const stats = statSync(file);
    if (!stats.isFile()) return null;
    const log = statSync(`${file}-wal`, { throwIfNoEntry: false });
    const parts = [stats.ino, stats.size, stats.mtimeMs, log?.size, log?.mtimeMs];
    return { name, path: file, bytes: stats.size, stamp: parts.join(' ') };
  } catch (error) {
    // Gone since, or a link to nowhere.
    if (errnoOf(error) === null) throw error;
    return null;
  }
}

function isWithin(folder: string, file: string): boolean {
  return file.startsWith(folder.endsWith(path.sep) ? folder : folder + path.sep);
}
