import type { AgentOsReading } from '../../model/agentos.ts';
import type { CgroupMemory, Pressure, ProcessReading, Sample } from '../../model/sample.ts';
import { bindingCgroup } from '../../model/session-memory.ts';
import { browserTotals } from '../browser-totals.ts';
import { costInTime } from '../own-cost.ts';
import { MachineFiles, type MachineReading } from '../procfs/machine-files.ts';
import type { SamplerSources, SampleTaken, Schedule } from '../sampler.ts';
import type { HostProcess } from './host-process.ts';
import type { VmWatch } from './vm-watch.ts';

export interface VmSamplerSources
  extends Pick<SamplerSources, 'proc' | 'units' | 'readCgroup' | 'readCgroupPressure' | 'clock'> {
  watch: Pick<VmWatch, 'ask'>;
  sidecar: HostProcess | null;
  owner: HostProcess | null;
  /** CPU time of this process so far, ms. */
  cpuMs(): number;
}

// With half an interval no tick is late; within a second all answer that are not stuck.
const longestWaitMs = 1000;
const noProcesses = browserTotals([], new Map());

/**
 * One reading of the machine, of the sidecar and its owner, and of the VM. Of the machine's other
 * processes nothing: this runs in a program that has other things to do.
 */
export class VmSampler {
  readonly #sources: VmSamplerSources;
  readonly #machine: MachineFiles;
  #beganCpuMs = 0;
  #ownCpuMs = 0;
  #isCgroupPressure: boolean | null = null;

  constructor(sources: VmSamplerSources) {
    this.#sources = sources;
    // No VM has anything in /dev/shm, and looking there is dear.
    this.#machine = new MachineFiles(sources.proc, sources.units);
  }

  /** Throws MACHINE_UNREADABLE when the machine's memory cannot be read; survives all else. */
  async take(schedule: Schedule): Promise<SampleTaken> {
    const { clock, owner, sidecar, cpuMs } = this.#sources;
    this.#beganCpuMs = cpuMs();
    const timeUnixMs = clock.wallMs();
    const monotonicMs = clock.monotonicMs();
    const machine = this.#machine.read();
    const cgroup = this.#sources.readCgroup(machine.memory.totalBytes);
    const processes = [owner?.read() ?? null, sidecar?.read() ?? null];
    const waitMs = Math.min(longestWaitMs, schedule.intervalMs / 2);
    const { counters } = await this.#sources.watch.ask(waitMs);
    const nowMonotonicMs = clock.monotonicMs();
    const sample: Sample = {
      sequence: schedule.sequence,
      timeUnixMs,
      monotonicMs: Math.round(monotonicMs),
      intervalMs: schedule.intervalMs,
      machine: machine.memory,
      cgroup,
      pressure: this.#pressure(machine, cgroup),
      activity: machine.activity,
      browser: noProcesses,
      collector: {
        ...costInTime(schedule, monotonicMs, nowMonotonicMs),
        // Of the ticks before. It has no process of its own: what the program did meanwhile is part of
        // this, which is at most what the recorder took. The memory is the owner's.
        cpuMs: Math.round(this.#ownCpuMs),
        rssBytes: null,
      },
      agentOs: { ...counters, ...sidecarFigures(processes[1] ?? null) },
      processes: processes.filter((process) => process !== null),
      unreadable: machine.unreadable,
    };
    return { sample, ended: [] };
  }

  /** The sample that was taken is dealt with: what this took is told with the next one. */
  tickIsOver(): void {
    this.#ownCpuMs += this.#sources.cpuMs() - this.#beganCpuMs;
  }

  /** The memory of machine and cgroup alone, for the facts of a session before its first sample. */
  readMemory(): Pick<Sample, 'machine' | 'cgroup'> {
    const machine = this.#machine.readMemory();
    return { machine, cgroup: this.#sources.readCgroup(machine.totalBytes) };
  }

  close(): void {
    this.#machine.close();
    this.#sources.sidecar?.close();
    this.#sources.owner?.close();
  }

  // As in the sampler of browsers: where a cgroup binds, waiting for memory happens in it.
  #pressure(machine: MachineReading, cgroup: CgroupMemory | null): Pressure {
    const ofCgroup = this.#isCgroupPressure === false ? null : this.#sources.readCgroupPressure();
    this.#isCgroupPressure ??=
      bindingCgroup({ machine: machine.memory, cgroup }) !== null && ofCgroup !== null;
    return this.#isCgroupPressure && ofCgroup !== null ? ofCgroup : machine.pressure;
  }
}

function sidecarFigures(sidecar: ProcessReading | null) {
  return {
    sidecarRssBytes: sidecar?.rssBytes ?? null,
    sidecarPeakRssBytes: sidecar?.peakRssBytes ?? null,
    sidecarCpuMs: sidecar?.cpuMs ?? null,
    sidecarThreadCount: sidecar?.threadCount ?? null,
  } satisfies Partial<AgentOsReading>;
}
