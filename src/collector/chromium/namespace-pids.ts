import type { ProcessReading } from '../../model/sample.ts';
import type { ProcFs } from '../procfs/proc-fs.ts';

// More than ever end between two samples; what is dropped and still lives is read again.
const mostKept = 2_000;
const namespaceLine = /^NSpid:\t\d+\t(.*)$/m;
const none: readonly number[] = [];

interface Kept {
  startTicks: number;
  /** Its pids in the namespaces below this one. */
  inner: readonly number[];
}

/**
 * What the browser's processes are numbered in their own PID namespaces (`NSpid` of
 * `/proc/<pid>/status`, since Linux 4.1): a browser in a container writes those into its log. It is
 * read once of each process, while it lives, and kept beyond its end.
 */
export class NamespacePids {
  readonly #proc: ProcFs;
  readonly #kept = new Map<number, Kept>();

  constructor(proc: ProcFs) {
    this.#proc = proc;
  }

  /** Looks at those that are new. */
  follow(processes: readonly ProcessReading[]): void {
    processes.forEach(({ pid, startTicks, browserPid }) => {
      if (browserPid === null || this.#kept.get(pid)?.startTicks === startTicks) return;
      this.#kept.delete(pid);
      this.#kept.set(pid, { startTicks, inner: this.#innerPids(pid) });
      const [oldest] = this.#kept.size > mostKept ? this.#kept.keys() : [];
      if (oldest !== undefined) this.#kept.delete(oldest);
    });
  }

  /** Which of these processes has this number in a namespace of its own; null: none, or several. */
  find(innerPid: number, pids: readonly number[]): number | null {
    const found = pids.filter((pid) => this.#kept.get(pid)?.inner.includes(innerPid));
    return found.length === 1 ? (found[0] ?? null) : null;
  }

  #innerPids(pid: number): readonly number[] {
    const [, inner] = namespaceLine.exec(this.#proc.text(`${pid}/status`) ?? '') ?? [];
    return inner === undefined ? none : inner.split('\t').map(Number);
  }
}
