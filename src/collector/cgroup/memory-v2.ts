import { KeyedFileParser } from '../procfs/keyed-file.ts';
import type { ProcFs } from '../procfs/proc-fs.ts';
import { CgroupFile, exactNumber } from './cgroup-file.ts';
import type { MemoryEvents, MemoryLevel, MemoryUsage } from './memory-level.ts';

const statParser = new KeyedFileParser({
  anon: 'anon ',
  // Since Linux 5.18.
  kernel: 'kernel ',
  shmem: 'shmem ',
  inactiveFile: 'inactive_file ',
});

const eventsParser = new KeyedFileParser({
  throttlings: 'high ',
  limitHits: 'max ',
  oomKills: 'oom_kill ',
});

/** The memory controller of cgroup v2 (admin-guide/cgroup-v2.rst, "Memory Interface Files"). */
export class MemoryV2 implements MemoryLevel {
  readonly countsEventsBelow = true;
  readonly #buffer: Buffer;
  readonly #files;

  constructor(files: ProcFs, directory: string) {
    const file = (name: string) => new CgroupFile(files, `${directory}/memory.${name}`);
    this.#buffer = files.buffer;
    this.#files = {
      // The root cgroup has neither this nor most of the others.
      limit: file('max'),
      throttle: file('high'),
      stat: file('stat'),
      charged: file('current'),
      // Since Linux 5.19.
      peak: file('peak'),
      swap: file('swap.current'),
      events: file('events'),
    };
  }

  // Above memory.high the kernel kills nobody, and lets whoever allocates wait: a session gets no further.
  readLimit(): number | null | 'gone' {
    const limit = this.#files.limit.readLimit();
    // 0 is written for a moment to have memory taken back, and is no limit.
    const throttle = this.#files.throttle.readNumber() || null;
    if (limit === 'gone' || throttle === null) return limit;
    return Math.min(limit ?? throttle, throttle);
  }

  readUsage(): MemoryUsage {
    const stat = statParser.parse(this.#buffer, this.#files.stat.read());
    return {
      hierarchicalLimitBytes: null,
      chargedBytes: this.#files.charged.readNumber(),
      inactiveFileBytes: exactNumber(stat.inactiveFile),
      anonBytes: exactNumber(stat.anon),
      shmemBytes: exactNumber(stat.shmem),
      kernelBytes: exactNumber(stat.kernel),
      swapBytes: this.#files.swap.readNumber(),
      peakBytes: this.#files.peak.readNumber(),
    };
  }

  readEvents(): MemoryEvents {
    const events = eventsParser.parse(this.#buffer, this.#files.events.read());
    return {
      oomKillCount: exactNumber(events.oomKills),
      limitHitCount: sum(exactNumber(events.limitHits), exactNumber(events.throttlings)),
    };
  }

  close(): void {
    for (const file of Object.values(this.#files)) file.close();
  }
}

function sum(a: number | null, b: number | null): number | null {
  return a === null ? b : a + (b ?? 0);
}
