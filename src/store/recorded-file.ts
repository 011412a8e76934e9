import { realpathSync, rmSync, type Stats, statSync } from 'node:fs';
import { orNull } from '../model/or-null.ts';
import { presentName } from './present-name.ts';

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
  readonly #log: Stats | undefined;

  /** The file has to be there, and its log. */
  constructor(path: string) {
    this.#path = path;
    const { dev, ino } = statSync(path);
    this.#device = dev;
    this.#inode = ino;
    this.#log = statSync(`${realpathSync(path)}-wal`, { throwIfNoEntry: false });
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

  /** The name that it has now, while it is open; null when it was removed, or nobody can tell. */
  get presentName(): string | null {
    return presentName({ dev: this.#device, ino: this.#inode });
  }

  /** Likewise that of its log. */
  get log(): string | null {
    return this.#log === undefined ? null : presentName(this.#log);
  }

  /**
   * Removes what SQLite leaves under a name that the file has no more. A log stays that is not empty:
   * the file lacks what is in it.
   */
  removeRest(): void {
    if (statSync(this.#path, { throwIfNoEntry: false }) !== undefined) return;
    rmSync(`${this.#path}-shm`, { force: true });
    const log = `${this.#path}-wal`;
    if (statSync(log, { throwIfNoEntry: false })?.size === 0) rmSync(log);
  }

  // Null: it cannot be looked at, which need not keep SQLite from writing it.
  #stat(): Stats | undefined | null {
    return orNull(() => statSync(this.#path, { throwIfNoEntry: false }));
  }
}
