import {
  type ListedFile,
  listedRecordings,
} from '../../../exporter/prometheus/listed-recordings.ts';
import { HeadroomError } from '../../../model/errors.ts';

export type FolderFile = Pick<ListedFile, 'name' | 'path' | 'bytes' | 'stamp'>;

// A second brings no new tick.
const freshMs = 1_000;

/**
 * The recordings of a folder (`*.db`), or one file: what a page may ask for, by name. A name is looked
 * up and never joined.
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
    try {
      return new Map(listedRecordings(this.#source).map((file) => [file.name, file]));
    } catch (error) {
      // Told by `/metrics`, which looks at the same folder.
      if (!(error instanceof HeadroomError)) throw error;
      return new Map();
    }
  }
}
