import type { CgroupMemory, Pressure, ProcessReading, Sample } from '../model/sample.ts';
import { bindingCgroup } from '../model/session-memory.ts';
import { browserTotals, estimatedPssBytes } from './browser-totals.ts';
import { placeProcesses, type TreeNode } from './chromium/browser-tree.ts';
import { HandlerClients } from './chromium/handler-client.ts';
import { OwnCost, ownCpuMs } from './own-cost.ts';
import { readMemory } from './process-memory.ts';
import { type EndedProcess, ProcessTable, type TrackedProcess } from './process-table.ts';
import {
  type KernelUnits,
  MachineFiles,
  type MachineReading,
  type MemorySource,
} from './procfs/machine-files.ts';
import type { ProcFs } from './procfs/proc-fs.ts';
import { PssBudget, type PssChoice } from './pss-budget.ts';

/** The clocks of a sample; a test gives its own. */
export interface Clock {
  wallMs(): number;
  monotonicMs(): number;
}

export const systemClock: Clock = {
  wallMs: () => Date.now(),
  monotonicMs: () => Number(process.hrtime.bigint()) / 1e6,
};

export interface SamplerSources {
  proc: ProcFs;
  units: KernelUnits;
  /** Reads the session's memory cgroup; null where there is none. */
  readCgroup(machineTotalBytes: number): CgroupMemory | null;
  /** Stall times of that cgroup alone; null where it has none of its own. */
  readCgroupPressure(): Pressure | null;
  /** How often another cgroup became the session's; left out: it never does. */
  cgroupMoveCount?: () => number;
  clock: Clock;
  /** `--pid`: this process and its descendants are the browser. */
  rootPid: number | null;
  /** Whether a browser is another session's; null or left out: all of the machine are this one's. */
  isStranger?: ((browser: TreeNode) => boolean) | null;
  /** How many descriptors the process table may keep open. */
  descriptorLimit: number;
  /** Whether command lines are recorded, without credentials; default true. */
  storesCommands?: boolean | undefined;
  /** Compressed swap and /dev/shm; none where they are not looked at. */
  devices?: MemorySource;
  /** Share of one core that reading PSS may take on average; default 0.01. */
  pssCpuShare?: number;
  /** Where something else decides whose PSS is read. */
  pssChoice?: PssChoice;
  /** What the recorder costs; default: this process. */
  ownCost?: Pick<OwnCost, 'read' | 'close'>;
}

/** Where this sample stands in the schedule; the loop knows, the sampler does not. */
export interface Schedule {
  sequence: number;
  intervalMs: number;
  /** When it was to begin. How late it is the sample's own clock says: on a starved machine time passes in between. */
  dueMonotonicMs: number;
  missedTickCount: number;
}

export interface SampleTaken {
  sample: Sample;
  ended: EndedProcess[];
}

const stalledShare = 0.05;
const unknownPressure: Pressure = {
  memorySomeMs: null,
  memoryFullMs: null,
  cpuSomeMs: null,
  ioSomeMs: null,
  ioFullMs: null,
};

/** Takes one reading of everything. It holds open files and the process table, and no policy. */
export class Sampler {
  readonly #sources: SamplerSources;
  readonly #machine: MachineFiles;
  readonly #table: ProcessTable;
  readonly #handlerClients: HandlerClients<TreeNode>;
  readonly #pssBudget: PssChoice;
  readonly #ownCost: Pick<OwnCost, 'read' | 'close'>;
  /** By pid; of what rests it is told again what was told last. */
  readonly #readings = new Map<number, ProcessReading>();
  #tick = 0;
  #commandPid: number | null = null;
  #isCgroupPressure: boolean | null = null;
  #cgroupMoveCount = 0;
  #stalled: { memorySomeMs: number; monotonicMs: number } | null = null;

  constructor(sources: SamplerSources) {
    this.#sources = sources;
    this.#machine = new MachineFiles(sources.proc, sources.units, sources.devices ?? null);
    this.#table = new ProcessTable(sources.proc, sources);
    this.#handlerClients = new HandlerClients(sources.proc);
    this.#pssBudget =
      sources.pssChoice ??
      new PssBudget({ cpuShare: sources.pssCpuShare ?? 0.01, maxAgeMs: 60_000 });
    this.#ownCost = sources.ownCost ?? new OwnCost(sources.proc, sources.units.pageSizeBytes);
  }

  /** Throws MACHINE_UNREADABLE when the machine's memory cannot be read; survives all else. */
  take(schedule: Schedule): SampleTaken {
    const { clock, units } = this.#sources;
    const timeUnixMs = clock.wallMs();
    const monotonicMs = clock.monotonicMs();
    const machine = this.#machine.read();
    const cgroup = this.#sources.readCgroup(machine.memory.totalBytes);
    const ended = this.#readProcesses(
      machine.uptimeSeconds ?? monotonicMs / 1000,
      machine.population,
    );
    const pssRead = readMemory(this.#table.awake, this.#pssBudget, {
      clock: { monotonicMs, cpuMs: ownCpuMs },
      units,
      isStalling: this.#isStalling(machine.pressure, monotonicMs),
    });
    this.#updateReadings(ended, pssRead);
    const sample: Sample = {
      sequence: schedule.sequence,
      timeUnixMs,
      monotonicMs: Math.round(monotonicMs),
      intervalMs: schedule.intervalMs,
      machine: machine.memory,
      cgroup,
      pressure: this.#pressure(machine, cgroup),
      activity: machine.activity,
      browser: browserTotals(this.#table.awake, this.#table.processes),
      collector: this.#ownCost.read(schedule, monotonicMs, clock.monotonicMs()),
      processes: [...this.#readings.values()],
      unreadable: machine.unreadable,
    };
    return { sample, ended };
  }

  /** The memory of machine and cgroup alone, for the facts of a session before its first sample. */
  readMemory(): Pick<Sample, 'machine' | 'cgroup'> {
    const machine = this.#machine.readMemory();
    return { machine, cgroup: this.#sources.readCgroup(machine.totalBytes) };
  }

  /** With `-- CMD`: from now on only browsers below this process are the session's. */
  followCommand(pid: number): void {
    this.#commandPid = pid;
  }

  close(): void {
    this.#machine.close();
    this.#table.close();
    this.#ownCost.close();
  }

  // Some task waited for memory for more than a twentieth of the time since the last sample.
  #isStalling({ memorySomeMs }: Pressure, monotonicMs: number): boolean {
    const before = this.#stalled;
    if (memorySomeMs === null) return false;
    this.#stalled = { memorySomeMs, monotonicMs };
    if (before === null) return false;
    return memorySomeMs - before.memorySomeMs > stalledShare * (monotonicMs - before.monotonicMs);
  }

  // Where a cgroup binds, waiting for memory happens in it, and the machine may know nothing of it.
  // Decided once for each cgroup: the two count from different beginnings.
  #pressure(machine: MachineReading, cgroup: CgroupMemory | null): Pressure {
    const moveCount = this.#sources.cgroupMoveCount?.() ?? 0;
    if (moveCount !== this.#cgroupMoveCount) this.#isCgroupPressure = null;
    this.#cgroupMoveCount = moveCount;
    this.#isCgroupPressure ??=
      bindingCgroup({ machine: machine.memory, cgroup }) !== null &&
      this.#sources.readCgroupPressure() !== null;
    if (!this.#isCgroupPressure) return machine.pressure;
    return this.#sources.readCgroupPressure() ?? unknownPressure;
  }

  #readProcesses(uptimeSeconds: number, population: string | null): EndedProcess[] {
    const ticksPerSecond = this.#sources.units.clockTicksPerSecond;
    const nowTicks = uptimeSeconds * ticksPerSecond;
    this.#tick++;
    const ended = this.#table.update({
      tick: this.#tick,
      nowTicks,
      ticksPerSecond,
      population,
    });
    placeProcesses(this.#table.processes, {
      rootPid: this.#sources.rootPid,
      commandPid: this.#commandPid,
      isStranger: this.#sources.isStranger ?? null,
      nowTicks,
      ticksPerSecond,
      changed: this.#table.awake,
      clientOf: (handler, candidates) => this.#handlerClients.find(handler, candidates),
    });
    return ended;
  }

  #updateReadings(ended: readonly EndedProcess[], pssRead: ReadonlySet<TrackedProcess>): void {
    const tickMs = 1000 / this.#sources.units.clockTicksPerSecond;
    for (const { pid } of ended) this.#readings.delete(pid);
    this.#table.awake.forEach((process) => {
      const told = this.#readings.get(process.pid);
      if (told !== undefined && isUnchanged(process, told)) return;
      this.#readings.set(process.pid, toReading(process, pssRead.has(process), tickMs));
      process.isTold = true;
    });
  }
}

// Its place in the tree can change by what others do, and PSS is told once.
function isUnchanged(process: TrackedProcess, told: ProcessReading): boolean {
  return (
    process.isTold &&
    told.role === process.role &&
    told.browserPid === process.browserPid &&
    told.pssBytes === null
  );
}

function toReading(process: TrackedProcess, isPssFresh: boolean, tickMs: number): ProcessReading {
  const { stat, status } = process;
  const facts = process.browserPid === null ? null : process.facts;
  const pss = isPssFresh ? process.lastPss : null;
  return {
    pid: process.pid,
    startTicks: process.startTicks,
    parentPid: process.parentPid,
    comm: stat.comm,
    executable: process.executable,
    role: process.role,
    browserPid: process.browserPid,
    state: stat.state,
    rssBytes: process.rssBytes,
    anonBytes: process.anonBytes,
    shmemBytes: process.anonBytes === null ? null : (status?.shmemBytes ?? null),
    pssBytes: pss?.pssBytes ?? null,
    pssAnonBytes: pss?.pssAnonBytes ?? null,
    pssShmemBytes: pss?.pssShmemBytes ?? null,
    swapBytes: process.anonBytes === null ? null : (status?.swapBytes ?? null),
    pssEstimatedBytes: estimatedPssBytes(process),
    peakRssBytes: status?.peakRssBytes ?? null,
    cpuMs: stat.cpuTicks * tickMs,
    threadCount: stat.threadCount,
    majorFaultCount: stat.majorFaultCount,
    command: process.command,
    oomScoreAdj: facts?.oomScoreAdj ?? null,
    cgroup: facts?.cgroup ?? null,
    descriptorCount: facts?.descriptorCount ?? null,
    readBytes: facts?.readBytes ?? null,
    writtenBytes: facts?.writtenBytes ?? null,
  };
}
