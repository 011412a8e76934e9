import { HeadroomError } from '../../model/errors.ts';
import type { MachineActivity, MachineMemory, Pressure, Unreadable } from '../../model/sample.ts';
import { parseMachineStat } from './machine-stat.ts';
import { parseMeminfo } from './meminfo.ts';
import { populationOf } from './population.ts';
import { parsePressure } from './pressure.ts';
import type { Absence, ProcFs } from './proc-fs.ts';
import { parseVmstat } from './vmstat.ts';

export interface MachineReading {
  memory: MachineMemory;
  activity: MachineActivity;
  pressure: Pressure;
  /** Seconds since boot, suspend included (CLOCK_BOOTTIME); null when unreadable. */
  uptimeSeconds: number | null;
  /** {@link populationOf} before anything of this tick that follows. */
  population: string | null;
  unreadable: Unreadable[];
}

export interface KernelUnits {
  clockTicksPerSecond: number;
  pageSizeBytes: number;
}

/** Memory that /proc/meminfo does not tell apart. */
export interface MemorySource {
  read(swapTotalBytes: number | null): Pick<MachineMemory, 'zramBytes' | 'devShmUsedBytes'>;
}

const noDevices = { zramBytes: null, devShmUsedBytes: null };
const noStall = { someMs: null, fullMs: null };
const noVm = {
  majorFaultCount: null,
  refaultFileCount: null,
  refaultAnonCount: null,
  swapInBytes: null,
  swapOutBytes: null,
  directReclaimCount: null,
  reclaimedBytes: null,
  oomKillCount: null,
};
const noCpu = {
  cpuUserMs: null,
  cpuSystemMs: null,
  cpuIdleMs: null,
  cpuIowaitMs: null,
  cpuStealMs: null,
  forkCount: null,
};

/** The machine-wide files of /proc, kept open and read again at every tick. */
export class MachineFiles {
  readonly #proc: ProcFs;
  readonly #units: KernelUnits;
  readonly #devices: MemorySource | null;
  readonly #kept = new Map<string, number | Absence>();

  constructor(proc: ProcFs, units: KernelUnits, devices: MemorySource | null = null) {
    this.#proc = proc;
    this.#units = units;
    this.#devices = devices;
  }

  /** Throws MACHINE_UNREADABLE when meminfo cannot be read; anything else missing is null. */
  read(): MachineReading {
    const unreadable: Unreadable[] = [];
    const tickMs = 1000 / this.#units.clockTicksPerSecond;
    const parse = <T>(name: string, parser: (length: number) => T | null): T | null => {
      const length = this.#readKept(name);
      const value = typeof length === 'number' ? parser(length) : null;
      if (value === null)
        unreadable.push({ source: `${this.#proc.root}/${name}`, reason: why(length) });
      return value;
    };
    const buffer = this.#proc.buffer;
    const memory = this.readMemory();
    const vm = parse('vmstat', (length) => parseVmstat(buffer, length, this.#units.pageSizeBytes));
    const cpu = parse('stat', (length) => parseMachineStat(buffer, length, tickMs));
    const population = populationOf(cpu?.forkCount ?? null, this.#textOf('loadavg'));
    const [memoryStall, cpuStall, ioStall] = (['memory', 'cpu', 'io'] as const).map(
      (resource) =>
        parse(`pressure/${resource}`, (length) => parsePressure(buffer, length)) ?? noStall,
    );
    return {
      memory,
      activity: { ...(vm ?? noVm), ...(cpu ?? noCpu) },
      pressure: {
        memorySomeMs: memoryStall?.someMs ?? null,
        memoryFullMs: memoryStall?.fullMs ?? null,
        cpuSomeMs: cpuStall?.someMs ?? null,
        ioSomeMs: ioStall?.someMs ?? null,
        ioFullMs: ioStall?.fullMs ?? null,
      },
      uptimeSeconds: parse('uptime', (length) => uptime(buffer, length)),
      population,
      unreadable,
    };
  }

  /** meminfo alone, for a look between two samples. Throws MACHINE_UNREADABLE without it. */
  readMemory(): MachineMemory {
    const length = this.#readKept('meminfo');
    const memory = typeof length === 'number' ? parseMeminfo(this.#proc.buffer, length) : null;
    if (memory === null) throw this.#unreadableMemory();
    return { ...memory, ...(this.#devices?.read(memory.swapTotalBytes) ?? noDevices) };
  }

  close(): void {
    for (const fd of this.#kept.values()) if (typeof fd === 'number') this.#proc.close(fd);
    this.#kept.clear();
  }

  #textOf(name: string): string {
    const length = this.#readKept(name);
    return typeof length === 'number' ? this.#proc.buffer.toString('latin1', 0, length) : '';
  }

  #readKept(name: string): number | Absence {
    let fd = this.#kept.get(name);
    if (fd === undefined) {
      fd = this.#proc.open(name);
      // What is missing or denied stays so; a lack of descriptors or memory passes.
      if (fd !== 'failed') this.#kept.set(name, fd);
    }
    return typeof fd === 'number' ? this.#proc.readOpen(fd) : fd;
  }

  #unreadableMemory(): HeadroomError {
    return new HeadroomError('MACHINE_UNREADABLE', `cannot read ${this.#proc.root}/meminfo`, {
      hint: 'Without the memory of the machine there is nothing to record; is /proc mounted and readable?',
    });
  }
}

function uptime(buffer: Buffer, length: number): number | null {
  const seconds = Number.parseFloat(buffer.toString('latin1', 0, Math.min(length, 32)));
  return Number.isFinite(seconds) ? seconds : null;
}

function why(length: number | Absence): Unreadable['reason'] {
  if (typeof length === 'number') return 'malformed';
  return length === 'gone' ? 'missing' : length;
}
