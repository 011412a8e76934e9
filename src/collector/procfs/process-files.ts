import { baseName } from '../chromium/command-line.ts';
import type { ProcFs } from './proc-fs.ts';
import { type ProcessStat, parseProcessStat } from './process-stat.ts';
import { type ProcessStatus, parseProcessStatus } from './process-status.ts';
import { parseSmapsRollup, type SmapsRollup } from './smaps-rollup.ts';
import { parseStatm, type Statm } from './statm.ts';

/** How many processes may keep descriptors: each costs one or two, and 4.5 KB of kernel memory. */
export interface DescriptorBudget {
  left: number;
}

/** The files of one process. Its kept descriptors answer ESRCH once it is gone, also after reuse. */
export class ProcessFiles {
  readonly pid: number;
  readonly #proc: ProcFs;
  readonly #budget: DescriptorBudget;
  readonly #kept = new Map<'stat' | 'statm', number>();

  constructor(proc: ProcFs, pid: number, budget: DescriptorBudget) {
    this.#proc = proc;
    this.pid = pid;
    this.#budget = budget;
  }

  /** Null when the process is gone, or not to be read. */
  stat(): ProcessStat | null {
    const length = this.#read('stat');
    return length === null ? null : parseProcessStat(this.#proc.buffer, length);
  }

  /** Null when it is gone or has no memory of its own. */
  statm(): Statm | null {
    const length = this.#read('statm');
    return length === null ? null : parseStatm(this.#proc.buffer, length);
  }

  status(): ProcessStatus | null {
    const length = this.#proc.read(`${this.pid}/status`);
    return typeof length === 'number' ? parseProcessStatus(this.#proc.buffer, length) : null;
  }

  /**
   * Walks the page tables of the process and holds its mmap lock meanwhile: about 15 µs for each
   * MiB of RSS. Opened anew each time, because a kept descriptor holds the memory of before an exec.
   */
  smapsRollup(): SmapsRollup | null {
    const length = this.#proc.read(`${this.pid}/smaps_rollup`);
    return typeof length === 'number' ? parseSmapsRollup(this.#proc.buffer, length) : null;
  }

  /** The command line with its NULs, '' when there is none. */
  commandLine(): string {
    return this.#proc.text(`${this.pid}/cmdline`) ?? '';
  }

  /** Base name of the executable; null where it may not be read. */
  executable(): string | null {
    const path = this.#proc.link(`${this.pid}/exe`);
    return path === null ? null : baseName(path.replace(/ \(deleted\)$/, ''));
  }

  close(): void {
    for (const fd of this.#kept.values()) this.#proc.close(fd);
    this.#budget.left += this.#kept.size;
    this.#kept.clear();
  }

  #read(name: 'stat' | 'statm'): number | null {
    let fd = this.#kept.get(name);
    if (fd === undefined) {
      if (this.#budget.left <= 0) {
        const length = this.#proc.read(`${this.pid}/${name}`);
        return typeof length === 'number' ? length : null;
      }
      const opened = this.#proc.open(`${this.pid}/${name}`);
      if (typeof opened !== 'number') return null;
      fd = opened;
      this.#kept.set(name, fd);
      this.#budget.left--;
    }
    const length = this.#proc.readOpen(fd);
    return typeof length === 'number' ? length : null;
  }
}
