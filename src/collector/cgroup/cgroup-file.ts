import { unsignedAt } from '../procfs/keyed-file.ts';
import type { ProcFs } from '../procfs/proc-fs.ts';

/**
 * A file of a cgroup, opened at the first reading and read from its start at every further one.
 * What is not there, may not be read, or was removed with its cgroup (ENODEV) gives nothing, for
 * good; it never throws.
 */
export class CgroupFile {
  readonly #files: ProcFs;
  readonly #path: string;
  /** Null once there is nothing to read any more. */
  #fd: number | null | undefined;

  /** `files` has the root of the file system as its root: `new ProcFs('')`. */
  constructor(files: ProcFs, path: string) {
    this.#files = files;
    this.#path = path.replace(/^\//, '');
  }

  /** Reads into the shared buffer: how many bytes, 0 for nothing. */
  read(): number {
    if (this.#fd === undefined) {
      const fd = this.#files.open(this.#path);
      this.#fd = typeof fd === 'number' ? fd : null;
    }
    if (this.#fd === null) return 0;
    const length = this.#files.readOpen(this.#fd);
    if (typeof length === 'number') return length;
    this.close();
    return 0;
  }

  /** The content as one number; null for nothing, for `max`, and for v1's way to say "no limit". */
  readNumber(): number | null {
    const length = this.read();
    return exactNumber(unsignedAt(this.#files.buffer.toString('latin1', 0, length), 0));
  }

  /** The content as a limit; `gone` when there is nothing to read. */
  readLimit(): number | null | 'gone' {
    const bytes = this.readNumber();
    return bytes === null && this.#fd === null ? 'gone' : bytes;
  }

  close(): void {
    if (typeof this.#fd === 'number') this.#files.close(this.#fd);
    this.#fd = null;
  }
}

/** Null beyond 2^53: no real byte count is that large, but v1's "no limit" is (2^63 less one page). */
export function exactNumber(value: number | null): number | null {
  return value !== null && Number.isSafeInteger(value) ? value : null;
}
