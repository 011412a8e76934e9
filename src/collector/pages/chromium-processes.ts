import { baseName, roleOfCommand, splitCommandLine } from '../chromium/command-line.ts';
import { PidList } from '../procfs/pid-list.ts';
import type { ProcFs } from '../procfs/proc-fs.ts';
import { type ProcessStat, parseProcessStat } from '../procfs/process-stat.ts';
import type { ThreadClocks } from './thread-clock.ts';

/** A process that cannot be taken for another which gets its pid later. */
export interface ProcessIdentity {
  pid: number;
  startTicks: number;
}

// A child of a zygote is first a copy of it, a browser often a shell script.
const mostLooks = 20;
const deepestTree = 64;

/** The browsers and the renderers of the machine, and the CPU clocks of the latter. */
export class ChromiumProcesses {
  readonly #proc: ProcFs;
  readonly #list: PidList;
  /** Those that may yet become one, and how often that was looked at. */
  readonly #young = new Map<number, number>();
  readonly #renderers = new Set<number>();
  readonly #browsers = new Map<number, readonly string[]>();

  constructor(proc: ProcFs) {
    this.#proc = proc;
    this.#list = new PidList(proc);
  }

  /** The arguments of every browser, by pid. */
  get browsers(): ReadonlyMap<number, readonly string[]> {
    return this.#browsers;
  }

  /** Looks who there is. Throws MACHINE_UNREADABLE when /proc cannot be listed. */
  update(): void {
    const { appeared, gone } = this.#list.update(null);
    for (const pid of gone) {
      this.#young.delete(pid);
      this.#renderers.delete(pid);
      this.#browsers.delete(pid);
    }
    for (const pid of appeared) this.#young.set(pid, 0);
    for (const [pid, lookCount] of this.#young) {
      if (this.#isKnown(pid) || lookCount >= mostLooks) this.#young.delete(pid);
      else this.#young.set(pid, lookCount + 1);
    }
  }

  /**
   * One reading of all renderers: time on a CPU of the main thread, `/proc/<pid>/schedstat`
   * (scheduler/sched-stats.rst). A kernel without CONFIG_SCHED_INFO has none.
   */
  sweep(): ThreadClocks {
    const clocks = new Map<number, number>();
    for (const pid of this.#renderers) {
      const ns = Number.parseInt(this.#proc.text(`${pid}/schedstat`) ?? '', 10);
      if (Number.isFinite(ns)) clocks.set(pid, ns);
    }
    return clocks;
  }

  /** Null when there is no such process any more. */
  identify(pid: number): ProcessIdentity | null {
    const stat = this.#stat(pid);
    return stat === null || stat.state === 'Z' ? null : { pid, startTicks: stat.startTicks };
  }

  isAlive({ pid, startTicks }: ProcessIdentity): boolean {
    return this.identify(pid)?.startTicks === startTicks;
  }

  /** Whether a process is this one or descends from it. */
  isBelow(pid: number, rootPid: number): boolean {
    let at = pid;
    for (let depth = 0; at > 1 && depth < deepestTree; depth++) {
      if (at === rootPid) return true;
      at = this.#stat(at)?.parentPid ?? 0;
    }
    return false;
  }

  /** A file as this process sees it, which may be in a container; null when it cannot be read. */
  fileOf(pid: number, path: string): string | null {
    return this.#proc.text(`${pid}/root${path}`);
  }

  #isKnown(pid: number): boolean {
    const cmdline = this.#proc.text(`${pid}/cmdline`) ?? '';
    const args = splitCommandLine(cmdline);
    if (args.includes('--type=renderer')) {
      this.#renderers.add(pid);
      return true;
    }
    const link = this.#proc.link(`${pid}/exe`);
    const executable = link === null ? null : baseName(link);
    if (roleOfCommand({ cmdline, executable, comm: '' }) !== 'browser') return false;
    this.#browsers.set(pid, args);
    return true;
  }

  #stat(pid: number): ProcessStat | null {
    const length = this.#proc.read(`${pid}/stat`);
    return typeof length === 'number' ? parseProcessStat(this.#proc.buffer, length) : null;
  }
}
