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

  /** As {@link costInTime}, and what this process has resident. */
  read(schedule: Schedule, beganMonotonicMs: number, nowMonotonicMs: number): CollectorCost {
    const rssBytes = this.#rssBytes();
    return { ...costInTime(schedule, beganMonotonicMs, nowMonotonicMs), rssBytes };
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

/** The times of a tick that began at the one moment, and has been reading until the other. */
export function costInTime(
  schedule: Schedule,
  beganMonotonicMs: number,
  nowMonotonicMs: number,
): Omit<CollectorCost, 'rssBytes'> {
  return {
    pid: process.pid,
    readMs: round(nowMonotonicMs - beganMonotonicMs),
    latenessMs: round(Math.max(0, beganMonotonicMs - schedule.dueMonotonicMs)),
    missedTickCount: schedule.missedTickCount,
    cpuMs: Math.round(ownCpuMs()),
  };
}

/** CPU time of this process so far, ms. */
export function ownCpuMs(): number {
  const usage = process.cpuUsage();
  return (usage.user + usage.system) / 1000;
}

function round(ms: number): number {
  return Math.round(ms * 100) / 100;
}
