import { KeyedFileParser } from '../procfs/keyed-file.ts';
import type { ProcFs } from '../procfs/proc-fs.ts';
import { CgroupFile, exactNumber } from './cgroup-file.ts';
import type { MemoryEvents, MemoryLevel, MemoryUsage } from './memory-level.ts';

// The charge is that of the hierarchy, so are the lines with `total_`; the others are not.
const statParser = new KeyedFileParser({
  hierarchicalLimit: 'hierarchical_memory_limit ',
  anon: 'total_rss ',
  shmem: 'total_shmem ',
  swap: 'total_swap ',
  inactiveFile: 'total_inactive_file ',
});

// Since Linux 4.13.
const oomControlParser = new KeyedFileParser({ oomKills: 'oom_kill ' });

/** The memory controller of cgroup v1 (admin-guide/cgroup-v1/memory.rst). */
export class MemoryV1 implements MemoryLevel {
  /** Seen on 6.18: a kill in a child for the limit of its parent counts in the child alone. */
  readonly countsEventsBelow = false;
  readonly #buffer: Buffer;
  readonly #files;

  constructor(files: ProcFs, directory: string) {
    const file = (name: string) => new CgroupFile(files, `${directory}/memory.${name}`);
    this.#buffer = files.buffer;
    this.#files = {
      limit: file('limit_in_bytes'),
      stat: file('stat'),
      charged: file('usage_in_bytes'),
      peak: file('max_usage_in_bytes'),
      kernel: file('kmem.usage_in_bytes'),
      oomControl: file('oom_control'),
      limitHits: file('failcnt'),
      // Where memory and swap together have the same limit, it is this one that is hit.
      swapLimitHits: file('memsw.failcnt'),
    };
  }

  readLimit(): number | null | 'gone' {
    return this.#files.limit.readLimit();
  }

  readUsage(): MemoryUsage {
    const stat = statParser.parse(this.#buffer, this.#files.stat.read());
    return {
      hierarchicalLimitBytes: exactNumber(stat.hierarchicalLimit),
      chargedBytes: this.#files.charged.readNumber(),
      inactiveFileBytes: exactNumber(stat.inactiveFile),
      anonBytes: exactNumber(stat.anon),
      shmemBytes: exactNumber(stat.shmem),
      kernelBytes: this.#files.kernel.readNumber(),
      swapBytes: exactNumber(stat.swap),
      peakBytes: this.#files.peak.readNumber(),
    };
  }

  readEvents(): MemoryEvents {
    const { oomKills } = oomControlParser.parse(this.#buffer, this.#files.oomControl.read());
    return {
      oomKillCount: exactNumber(oomKills),
      limitHitCount: this.#readLimitHits(),
    };
  }

  #readLimitHits(): number | null {
    const hits = this.#files.limitHits.readNumber();
    return hits === null ? null : hits + (this.#files.swapLimitHits.readNumber() ?? 0);
  }

  close(): void {
    for (const file of Object.values(this.#files)) file.close();
  }
}
