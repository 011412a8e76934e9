import { baseName } from '../chromium/command-line.ts';
import type { Absence, ProcFs } from './proc-fs.ts';
import { type ProcessStat, parseProcessStat } from './process-stat.ts';
import { type ProcessStatus, parseProcessStatus } from './process-status.ts';
import { parseSmapsRollup, type SmapsRollup } from './smaps-rollup.ts';
import { parseStatm, type Statm } from './statm.ts';

/** How many more descriptors may be kept: a process costs one or two, each 4.5 KB of kernel memory. */
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

  /** Or why there is none: `failed` may be another at the next tick, the process may well live. */
  stat(): ProcessStat | Absence {
    const length = this.#read('stat');
    if (typeof length !== 'number') return length;
    return parseProcessStat(this.#proc.buffer, length) ?? 'failed';
  }

  /** Null when it is gone or has no memory of its own. */
  statm(): Statm | null {
    const length = this.#read('statm');
    return typeof length === 'number' ? parseStatm(this.#proc.buffer, length) : null;
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

  #read(name: 'stat' | 'statm'): number | Absence {
    let fd = this.#kept.get(name);
    if (fd === undefined) {
      if (this.#budget.left <= 0) return this.#proc.read(`${this.pid}/${name}`);
      const opened = this.#proc.open(`${this.pid}/${name}`);
      if (typeof opened !== 'number') return opened;
      fd = opened;
      this.#kept.set(name, fd);
      this.#budget.left--;
    }
    return this.#proc.readOpen(fd);
  }
}
