import type { CollectorCost } from '../model/sample.ts';
import type { ProcFs } from './procfs/proc-fs.ts';
import { parseStatm } from './procfs/statm.ts';
import type { Schedule } from './sampler.ts';

/** What the collector itself takes: CPU time and memory of this process. */
export class OwnCost {
  readonly #proc: ProcFs;
  readonly #pageSizeBytes: number;
  #statmFd: number | null = null;

  constructor(proc: ProcFs, pageSizeBytes: number) {
    this.#proc = proc;
    this.#pageSizeBytes = pageSizeBytes;
  }

  /** `readMs`: how long this tick has been reading so far. */
  read(schedule: Schedule, readMs: number): CollectorCost {
    return {
      pid: process.pid,
      readMs: round(readMs),
      latenessMs: round(schedule.latenessMs),
      missedTickCount: schedule.missedTickCount,
      cpuMs: Math.round(ownCpuMs()),
      rssBytes: this.#rssBytes(),
    };
  }

  close(): void {
    if (this.#statmFd !== null) this.#proc.close(this.#statmFd);
    this.#statmFd = null;
  }

  #rssBytes(): number | null {
    if (this.#statmFd === null) {
      const fd = this.#proc.open('self/statm');
      if (typeof fd !== 'number') return null;
      this.#statmFd = fd;
    }
    const length = this.#proc.readOpen(this.#statmFd);
    const statm = typeof length === 'number' ? parseStatm(this.#proc.buffer, length) : null;
    return statm === null ? null : statm.residentPages * this.#pageSizeBytes;
  }
}

/** CPU time of this process so far, ms. */
export function ownCpuMs(): number {
  const usage = process.cpuUsage();
  return (usage.user + usage.system) / 1000;
}

function round(ms: number): number {
  return Math.round(ms * 100) / 100;
}
