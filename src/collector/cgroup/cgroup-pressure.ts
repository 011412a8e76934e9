import type { Pressure } from '../../model/sample.ts';
import { parsePressure, type StallTime } from '../procfs/pressure.ts';
import { ProcFs } from '../procfs/proc-fs.ts';
import { CgroupFile } from './cgroup-file.ts';
import type { CgroupLocation } from './locate-cgroup.ts';

/**
 * Reads the stall times of one v2 cgroup (`memory.pressure`, `cpu.pressure`, `io.pressure`; since
 * Linux 4.20, not with psi=0). They need no controller: give the unified cgroup of the session.
 */
export class CgroupPressureReader {
  readonly #files: ProcFs;
  readonly #memory: CgroupFile;
  readonly #cpu: CgroupFile;
  readonly #io: CgroupFile;

  /** `files` has the root of the file system as its root. */
  constructor(location: CgroupLocation, files: ProcFs = new ProcFs('')) {
    const directory = location.levels[0]?.directory ?? location.mountPoint;
    this.#files = files;
    this.#memory = new CgroupFile(files, `${directory}/memory.pressure`);
    this.#cpu = new CgroupFile(files, `${directory}/cpu.pressure`);
    this.#io = new CgroupFile(files, `${directory}/io.pressure`);
  }

  /** Null when the cgroup tells nothing of it; a single file that is missing gives null fields. */
  read(): Pressure | null {
    const memory = this.#read(this.#memory);
    const cpu = this.#read(this.#cpu);
    const io = this.#read(this.#io);
    if (memory.someMs === null && cpu.someMs === null && io.someMs === null) return null;
    return {
      memorySomeMs: memory.someMs,
      memoryFullMs: memory.fullMs,
      cpuSomeMs: cpu.someMs,
      ioSomeMs: io.someMs,
      ioFullMs: io.fullMs,
    };
  }

  close(): void {
    for (const file of [this.#memory, this.#cpu, this.#io]) file.close();
  }

  #read(file: CgroupFile): StallTime {
    return parsePressure(this.#files.buffer, file.read());
  }
}
