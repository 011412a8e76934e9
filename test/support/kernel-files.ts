import type { FileCalls } from '../../src/collector/procfs/proc-fs.ts';
import { ProcFs } from '../../src/collector/procfs/proc-fs.ts';

/** Files as the kernel shows them, from memory: for states that this machine cannot be put into. */
export class KernelFiles {
  readonly #contents = new Map<string, string | Buffer>();
  readonly #open = new Map<number, string>();
  #nextFd = 100;

  constructor(contents: Readonly<Record<string, string | Buffer>>) {
    this.write(contents);
  }

  get procFs(): ProcFs {
    return new ProcFs('', this.#calls as unknown as FileCalls);
  }

  get openCount(): number {
    return this.#open.size;
  }

  write(contents: Readonly<Record<string, string | Buffer>>): void {
    for (const [path, content] of Object.entries(contents)) this.#contents.set(path, content);
  }

  /** Kept descriptors below it give ENODEV from now on, as after rmdir of a cgroup. */
  removeDirectory(directory: string): void {
    for (const path of this.#contents.keys()) {
      if (path.startsWith(`${directory}/`)) this.#contents.delete(path);
    }
  }

  readonly #calls = {
    openSync: (path: string): number => {
      if (!this.#contents.has(path)) throw systemError('ENOENT');
      this.#open.set(this.#nextFd, path);
      return this.#nextFd++;
    },
    readvSync: (fd: number, [buffer]: [Buffer]): number => {
      const content = this.#contents.get(this.#open.get(fd) ?? '');
      if (content === undefined) throw systemError('ENODEV');
      return Buffer.from(content).copy(buffer);
    },
    closeSync: (fd: number): void => {
      if (!this.#open.delete(fd)) throw systemError('EBADF');
    },
  };
}

function systemError(code: string): Error {
  return Object.assign(new Error(code), { code });
}
