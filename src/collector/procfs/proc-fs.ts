import fs from 'node:fs';
import { errnoOf, HeadroomError } from '../../model/errors.ts';

/** The file-system calls the collector makes; frames of a light sampler and tests stand in for them. */
export interface FileCalls {
  openSync(path: string, flags: string): number;
  readvSync(fd: number, buffers: readonly Buffer[], position: number): number;
  closeSync(fd: number): void;
  readdirSync(path: string): string[];
  readlinkSync(path: string): string;
  statSync(path: string): { size: number; isFile(): boolean };
}

/** Why a file gave nothing: its process is gone, it may not be read, or the read failed. */
export type Absence = 'gone' | 'denied' | 'failed';

// A stat has some 200 to 350 bytes.
const longestLine = 400;

/**
 * The only place that reads /proc. Every read goes into one shared buffer, so that a tick allocates
 * next to nothing: parse {@link ProcFs.buffer} before the next read.
 */
export class ProcFs {
  readonly root: string;
  /** Large enough for every file read here; a longer cmdline is cut, which loses no flag we use. */
  readonly buffer = Buffer.allocUnsafe(64 * 1024);
  readonly #buffers = [this.buffer];
  readonly #views: Buffer[] = [];
  readonly #calls: FileCalls;

  constructor(root = '/proc', calls: FileCalls = fs) {
    this.root = root;
    this.#calls = calls;
  }

  /** Opens, reads and closes a file below the root. Gives the bytes read, or why there are none. */
  read(name: string): number | Absence {
    const fd = this.open(name);
    if (typeof fd !== 'number') return fd;
    const length = this.readOpen(fd);
    this.close(fd);
    return length;
  }

  /** A file below the root as text, one character a byte; null when it cannot be read. */
  text(name: string): string | null {
    const length = this.read(name);
    return typeof length === 'number' ? this.buffer.toString('latin1', 0, length) : null;
  }

  /** Opens a file to be read again and again with {@link readOpen}. */
  open(name: string): number | Absence {
    try {
      return this.#calls.openSync(`${this.root}/${name}`, 'r');
    } catch (error) {
      return absenceOf(error);
    }
  }

  /**
   * Reads an open file from its start. After the end of its process, and after the reuse of its
   * pid, every kept descriptor gives ESRCH: a kept descriptor is a safe identity. By readv, because
   * Node checks its arguments with less garbage than those of read: half of all that a tick makes.
   */
  readOpen(fd: number): number | Absence {
    try {
      return this.#calls.readvSync(fd, this.#buffers, 0);
    } catch (error) {
      return absenceOf(error);
    }
  }

  /** The first bytes of the buffer: a view, made once for each length that a line of a process has. */
  view(length: number): Buffer {
    if (length > longestLine) return this.buffer.subarray(0, length);
    const view = this.#views[length] ?? this.buffer.subarray(0, length);
    this.#views[length] = view;
    return view;
  }

  close(fd: number): void {
    this.#calls.closeSync(fd);
  }

  /** Pids that exist now, ascending. Throws MACHINE_UNREADABLE when the root cannot be listed. */
  pids(): number[] {
    return this.names().filter(isPid).map(Number);
  }

  /** What the root lists: the pids, ascending, and its other files. MACHINE_UNREADABLE as above. */
  names(): string[] {
    try {
      return this.#calls.readdirSync(this.root);
    } catch (error) {
      throw new HeadroomError('MACHINE_UNREADABLE', `cannot list ${this.root}`, {
        cause: error,
        hint: 'Headroom reads the kernel through /proc: mount it (mount -t proc proc /proc).',
      });
    }
  }

  /** Where a link below the root points; null when it cannot be read. */
  link(name: string): string | null {
    try {
      return this.#calls.readlinkSync(`${this.root}/${name}`);
    } catch (error) {
      if (errnoOf(error) === null) throw error;
      return null;
    }
  }

  /** Size of a directory below the root as stat(2) tells it; null when it is not there. */
  directorySize(name: string): number | null {
    try {
      return this.#calls.statSync(`${this.root}/${name}`).size;
    } catch (error) {
      if (errnoOf(error) === null) throw error;
      return null;
    }
  }

  /** The entries of a directory below the root; null when it cannot be listed. */
  entries(name: string): string[] | null {
    try {
      return this.#calls.readdirSync(`${this.root}/${name}`);
    } catch (error) {
      if (errnoOf(error) === null) throw error;
      return null;
    }
  }

  /** The end of a regular file that a link below the root points to; empty when it is none. */
  tail(name: string): string {
    try {
      const stat = this.#calls.statSync(`${this.root}/${name}`);
      // A pipe would be emptied for whoever reads it, and waits when it is empty.
      if (!stat.isFile()) return '';
      const fd = this.open(name);
      if (typeof fd !== 'number') return '';
      const start = Math.max(0, stat.size - this.buffer.length);
      const length = this.#calls.readvSync(fd, this.#buffers, start);
      this.close(fd);
      return this.buffer.toString('utf8', 0, length);
    } catch (error) {
      if (errnoOf(error) === null) throw error;
      return '';
    }
  }
}

/** Whether a name below /proc is that of a process. */
export function isPid(name: string): boolean {
  const first = name.charCodeAt(0);
  return first >= 49 && first <= 57;
}

function absenceOf(error: unknown): Absence {
  switch (errnoOf(error)) {
    case 'ENOENT':
    case 'ESRCH':
    case 'ENOTDIR':
      return 'gone';
    case 'EACCES':
    case 'EPERM':
      return 'denied';
    case null:
      throw error;
    default:
      return 'failed';
  }
}
