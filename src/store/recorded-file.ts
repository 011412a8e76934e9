import { rmSync, type Stats, statSync } from 'node:fs';
import { errnoOf } from '../model/errors.ts';

const pageBytes = 4096;

/**
 * The file that is recorded into, as its name shows it. SQLite goes on with the file that it opened
 * when another program removes, moves or replaces it, and what it writes is lost to the user.
 * The file is never opened here: closing it would drop the locks of SQLite
 * (sqlite.org/howtocorrupt.html, "posix advisory locks canceled").
 */
export class RecordedFile {
  readonly #path: string;
  readonly #device: number;
  readonly #inode: number;

  /** The file has to be there. */
  constructor(path: string) {
    this.#path = path;
    const { dev, ino } = statSync(path);
    this.#device = dev;
    this.#inode = ino;
  }

  /** What became of it, in words; null while it is there. About 3 µs. */
  problem(): string | null {
    const now = this.#stat();
    if (now === null) return null;
    if (now === undefined) return 'the file was removed or moved while it was recorded';
    if (now.dev !== this.#device || now.ino !== this.#inode) {
      return 'the file was removed or replaced while it was recorded';
    }
    if (now.size < pageBytes) return 'the file was cut by another program while it was recorded';
    return null;
  }

  /** Whether there is no file of its name. */
  isMissing(): boolean {
    return this.#stat() === undefined;
  }

  /** Removes what SQLite leaves beside a file that is missing. */
  removeRest(): void {
    for (const part of ['-wal', '-shm']) rmSync(this.#path + part, { force: true });
  }

  // Null: it cannot be looked at, which need not keep SQLite from writing it.
  #stat(): Stats | undefined | null {
    try {
      return statSync(this.#path, { throwIfNoEntry: false });
    } catch (error) {
      if (errnoOf(error) === null) throw error;
      return null;
    }
  }
}
