import { baseName } from '../chromium/command-line.ts';
import { LastBytes } from './last-bytes.ts';
import { parseOomScoreAdj } from './oom-score-adj.ts';
import type { Absence, ProcFs } from './proc-fs.ts';
import { parseProcessCgroup } from './process-cgroup.ts';
import { type ProcessIo, parseProcessIo } from './process-io.ts';
import { type ProcessStat, parseProcessStat } from './process-stat.ts';
import { type ProcessStatus, parseProcessStatus } from './process-status.ts';
import { parseSmapsRollup, type SmapsRollup } from './smaps-rollup.ts';
import { parseStatm, type Statm } from './statm.ts';

/** How many more descriptors may be kept: a process costs one or two, each 4.5 KB of kernel memory. */
export interface DescriptorBudget {
  left: number;
}

// Made once: without its compiler V8 makes a literal anew each time.
const deletedMark = / \(deleted\)$/;

/** The files of one process. Its kept descriptors answer ESRCH once it is gone, also after reuse. */
export class ProcessFiles {
  readonly pid: number;
  readonly #proc: ProcFs;
  readonly #budget: DescriptorBudget;
  readonly #kept = new Map<'stat' | 'statm', number>();
  readonly #lastStat = new LastBytes();
  #stat: ProcessStat | null = null;
  readonly #lastStatm = new LastBytes();
  #statm: Statm | null = null;

  constructor(proc: ProcFs, pid: number, budget: DescriptorBudget) {
    this.#proc = proc;
    this.pid = pid;
    this.#budget = budget;
  }

  /**
   * Or why there is none: `failed` may be another at the next tick, the process may well live.
   * The very same object as before while nothing changed: most processes sleep most of the time.
   */
  stat(): ProcessStat | Absence {
    const length = this.#read('stat');
    if (typeof length !== 'number') return length;
    if (!this.#lastStat.isSame(this.#proc.view(length))) {
      this.#stat = parseProcessStat(this.#proc.buffer, length);
    }
    return this.#stat ?? 'failed';
  }

  /**
   * Null when it is gone or has no memory of its own. The very same object as before while nothing
   * changed.
   */
  statm(): Statm | null {
    const length = this.#read('statm');
    if (typeof length !== 'number') return null;
    if (!this.#lastStatm.isSame(this.#proc.view(length))) {
      this.#statm = parseStatm(this.#proc.buffer, length);
    }
    return this.#statm;
  }

  status(): ProcessStatus | null {
    return this.#parsed('status', parseProcessStatus);
  }

  /**
   * Walks the page tables of the process and holds its mmap lock meanwhile: about 15 µs for each
   * MiB of RSS. Opened anew each time, because a kept descriptor holds the memory of before an exec.
   */
  smapsRollup(): SmapsRollup | null {
    return this.#parsed('smaps_rollup', parseSmapsRollup);
  }

  /** The command line with its NULs, '' when there is none. */
  commandLine(): string {
    return this.#proc.text(`${this.pid}/cmdline`) ?? '';
  }

  /** Base name of the executable; null where it may not be read. */
  executable(): string | null {
    const path = this.#proc.link(`${this.pid}/exe`);
    return path === null ? null : baseName(path.replace(deletedMark, ''));
  }

  oomScoreAdj(): number | null {
    return this.#parsed('oom_score_adj', parseOomScoreAdj);
  }

  /** Path of the memory cgroup, or of the unified one. */
  cgroup(): string | null {
    return this.#parsed('cgroup', parseProcessCgroup);
  }

  /** Null when it is gone, and for another user's process. */
  io(): ProcessIo | null {
    return this.#parsed('io', parseProcessIo);
  }

  /**
   * Open file descriptors. Since Linux 6.2 the size of the directory is their number, which every
   * user may ask for (fs/proc/fd.c, proc_fd_getattr). Before that the size is 0 and the directory
   * has to be listed, which takes the same user, or root.
   */
  descriptorCount(): number | null {
    const name = `${this.pid}/fd`;
    const size = this.#proc.directorySize(name);
    return size === 0 ? (this.#proc.entries(name)?.length ?? null) : size;
  }

  close(): void {
    for (const fd of this.#kept.values()) this.#proc.close(fd);
    this.#budget.left += this.#kept.size;
    this.#kept.clear();
  }

  #parsed<T>(name: string, parse: (buffer: Buffer, length: number) => T): T | null {
    const length = this.#proc.read(`${this.pid}/${name}`);
    return typeof length === 'number' ? parse(this.#proc.buffer, length) : null;
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
