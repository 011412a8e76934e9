import type { CgroupMemory, Pressure } from '../../model/sample.ts';
import { ProcFs } from '../procfs/proc-fs.ts';
import { CgroupMemoryReader } from './cgroup-memory.ts';
import { CgroupPressureReader } from './cgroup-pressure.ts';
import type { CgroupLocation } from './locate-cgroup.ts';

/** The memory cgroup that is read for a session. What is recorded may turn out to live in another one. */
export class SessionCgroup {
  readonly #files: ProcFs;
  #location: CgroupLocation | null;
  #memory: CgroupMemoryReader | null;
  #pressure: CgroupPressureReader | null;
  #last: CgroupMemory | null = null;
  #moveCount = 0;
  /** Whose limit bound before the move, until the first reading after it. */
  #leftPath: string | null = null;

  /** `files` has the root of the file system as its root. */
  constructor(location: CgroupLocation | null, files: ProcFs = new ProcFs('')) {
    this.#files = files;
    this.#location = location;
    this.#memory = location === null ? null : new CgroupMemoryReader(location, files);
    this.#pressure = this.#pressureOf(location);
  }

  /** Where the session's own cgroup is, which need not be the one whose limit binds; null: none. */
  get directory(): string | null {
    return this.#location?.levels[0]?.directory ?? null;
  }

  /** How often it went to another cgroup: figures of before and after are not of the same counters. */
  get moveCount(): number {
    return this.#moveCount;
  }

  /**
   * One reading. A cgroup that was removed keeps its limit, its marks and its counters as they were
   * read last; what it holds is unknown. Null: there never was one.
   */
  read(machineTotalBytes: number): CgroupMemory | null {
    const reading = this.#memory?.read(machineTotalBytes) ?? null;
    if (reading === null) return this.#last === null ? null : { ...this.#last, ...nothingHeld };
    const isSamePath = reading.path === this.#leftPath;
    this.#leftPath = null;
    // The limit of the same parent binds as before; kills below it are counted along another way now.
    this.#last = isSamePath ? { ...reading, oomKillCount: null } : reading;
    return this.#last;
  }

  /** Stall times of that cgroup alone (v2); null where it has none of its own. */
  readPressure(): Pressure | null {
    return this.#pressure?.read() ?? null;
  }

  /** From now on another one is read; false when that cannot be, and all stays as it is. */
  moveTo(location: CgroupLocation): boolean {
    const memory = new CgroupMemoryReader(location, this.#files);
    const path = memory.read(0)?.path ?? null;
    // Where nothing of it can be seen the root stands in, which is not where it lives.
    if (path === null || (path === '/' && location.levels.length > 1)) {
      memory.close();
      return false;
    }
    this.#memory?.close();
    this.#pressure?.close();
    this.#location = location;
    this.#memory = memory;
    this.#pressure = this.#pressureOf(location);
    this.#leftPath = this.#last?.path ?? null;
    this.#last = null;
    this.#moveCount++;
    return true;
  }

  #pressureOf(location: CgroupLocation | null): CgroupPressureReader | null {
    return location?.version === 2 ? new CgroupPressureReader(location, this.#files) : null;
  }
}

const nothingHeld = {
  chargedBytes: null,
  inactiveFileBytes: null,
  anonBytes: null,
  shmemBytes: null,
  kernelBytes: null,
  swapBytes: null,
} as const;
