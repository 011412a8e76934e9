import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';

const root = '/sys/fs/cgroup';

/** A private memory cgroup below the root, of v1 where that governs memory, else of v2. */
export class MemoryCgroup {
  readonly directory: string;
  /** As the kernel names it, seen from the root of the hierarchy. */
  readonly path: string;
  readonly #version: 1 | 2;

  constructor(name: string) {
    this.#version = existsSync(`${root}/memory/memory.limit_in_bytes`) ? 1 : 2;
    this.path = `/${name}`;
    this.directory = this.#version === 1 ? `${root}/memory/${name}` : `${root}/${name}`;
  }

  /** Makes the group, without swap. Throws, saying what the machine lacks, where it cannot. */
  create(limitBytes: number): void {
    if (process.getuid?.() !== 0) throw new Error('a memory cgroup needs root');
    if (this.#version === 2) enableMemoryController();
    mkdirSync(this.directory);
    if (this.#version === 1) {
      this.#write('memory.limit_in_bytes', limitBytes);
      this.#write('memory.swappiness', 0);
    } else {
      this.#write('memory.max', limitBytes);
      // Not there in a kernel without swap.
      if (existsSync(`${this.directory}/memory.swap.max`)) this.#write('memory.swap.max', 0);
    }
  }

  /** Where a pid is written to put its process into the group. */
  get procsFile(): string {
    return `${this.directory}/cgroup.procs`;
  }

  /** The kernel's own count of OOM kills in the group. */
  oomKillCount(): number {
    const file = this.#version === 1 ? 'memory.oom_control' : 'memory.events';
    const count = /^oom_kill (\d+)$/m.exec(readFileSync(`${this.directory}/${file}`, 'utf8'));
    if (count === null) throw new Error(`${this.directory}/${file} has no oom_kill (Linux 4.13)`);
    return Number(count[1]);
  }

  /** Does nothing when it was never made. Its processes must have ended. */
  remove(): void {
    if (existsSync(this.directory)) rmdirSync(this.directory);
  }

  #write(file: string, value: number): void {
    writeFileSync(`${this.directory}/${file}`, String(value));
  }
}

function enableMemoryController(): void {
  const controllers = `${root}/cgroup.controllers`;
  if (!existsSync(controllers) || !/\bmemory\b/.test(readFileSync(controllers, 'utf8'))) {
    throw new Error(`no memory controller: neither ${root}/memory (v1) nor in ${controllers} (v2)`);
  }
  writeFileSync(`${root}/cgroup.subtree_control`, '+memory');
}
