import fs from 'node:fs';
import { errnoOf } from '../model/errors.ts';
import type { MemorySource } from './procfs/machine-files.ts';

export interface DeviceCalls {
  readdirSync(path: string): string[];
  readFileSync(path: string, encoding: 'latin1'): string;
  statfsSync(path: string): { blocks: number; bfree: number; bsize: number };
}

/** How large /dev/shm is, and what of it is free. */
export interface DevShm {
  sizeBytes: number;
  freeBytes: number;
}

/**
 * Memory that belongs to no process: what compressed swap takes (mem_used_total of
 * `/sys/block/zram*`, admin-guide/blockdev/zram.rst) and what lies in `/dev/shm`, a tmpfs, where a
 * Chromium keeps its shared memory (131 does, 156 does not).
 */
export class MemoryDevices implements MemorySource {
  readonly #calls: DeviceCalls;
  readonly #zramFiles: readonly string[];
  #devShm: DevShm | null = null;

  constructor(calls: DeviceCalls = fs) {
    this.#calls = calls;
    this.#zramFiles = attempt(() => calls.readdirSync('/sys/block'), [])
      .filter((name) => /^zram\d+$/.test(name))
      .map((name) => `/sys/block/${name}/mm_stat`);
  }

  /** Null: there is none, or it cannot be read. A zram that no swap is on is not asked. */
  read(swapTotalBytes: number | null): ReturnType<MemorySource['read']> {
    const zramBytes = swapTotalBytes === 0 ? null : this.#zramBytes();
    const found = attempt(() => this.#calls.statfsSync('/dev/shm'), null);
    this.#devShm =
      found === null
        ? null
        : { sizeBytes: found.blocks * found.bsize, freeBytes: found.bfree * found.bsize };
    const devShmUsedBytes =
      this.#devShm === null ? null : this.#devShm.sizeBytes - this.#devShm.freeBytes;
    return { zramBytes, devShmUsedBytes };
  }

  /** As it was read last; null: there is none. */
  get devShm(): DevShm | null {
    return this.#devShm;
  }

  #zramBytes(): number | null {
    let sum: number | null = null;
    for (const file of this.#zramFiles) {
      const fields = attempt(() => this.#calls.readFileSync(file, 'latin1'), '')
        .trim()
        .split(/ +/);
      const usedBytes = Number(fields[2]);
      if (fields.length < 3 || !Number.isSafeInteger(usedBytes)) return null;
      sum = (sum ?? 0) + usedBytes;
    }
    return sum;
  }
}

function attempt<T>(read: () => T, absent: T): T {
  try {
    return read();
  } catch (error) {
    if (errnoOf(error) === null) throw error;
    return absent;
  }
}
