import type { ProcessReading } from '../../model/sample.ts';
import type { KernelUnits } from '../procfs/machine-files.ts';
import type { ProcFs } from '../procfs/proc-fs.ts';
import { ProcessFiles } from '../procfs/process-files.ts';

// The kernel keeps 15 bytes of a name, which is just the whole of this one.
export const sidecarComm = 'agentos-sidecar';

/** A process of this machine that is followed by itself, without the table of all of them. */
export class HostProcess {
  readonly pid: number;
  readonly startTicks: number;
  readonly #files: ProcessFiles;
  readonly #units: KernelUnits;
  readonly #executable: string | null;

  private constructor(files: ProcessFiles, startTicks: number, units: KernelUnits) {
    this.pid = files.pid;
    this.startTicks = startTicks;
    this.#files = files;
    this.#units = units;
    this.#executable = files.executable();
  }

  /** Null when there is no such process. */
  static open(proc: ProcFs, pid: number, units: KernelUnits): HostProcess | null {
    const files = new ProcessFiles(proc, pid, { left: 2 });
    const stat = files.stat();
    if (typeof stat !== 'string') return new HostProcess(files, stat.startTicks, units);
    files.close();
    return null;
  }

  /**
   * stat, statm and status, some 60 µs. Never PSS: nothing of a sidecar is shared (1 to 2 % under
   * RSS), and it costs 11 ms at 480 MB. Null when it is gone.
   */
  read(): ProcessReading | null {
    const stat = this.#files.stat();
    if (typeof stat === 'string' || stat.startTicks !== this.startTicks) return null;
    const statm = this.#files.statm();
    const status = this.#files.status();
    const { pageSizeBytes, clockTicksPerSecond } = this.#units;
    const pages = (count: number | undefined) =>
      count === undefined ? null : count * pageSizeBytes;
    return {
      pid: this.pid,
      startTicks: stat.startTicks,
      parentPid: stat.parentPid,
      comm: stat.comm,
      executable: this.#executable,
      role: 'other',
      browserPid: null,
      state: stat.state,
      rssBytes: pages(statm?.residentPages),
      anonBytes: statm === null ? null : pages(statm.residentPages - statm.sharedPages),
      shmemBytes: status?.shmemBytes ?? null,
      pssBytes: null,
      pssAnonBytes: null,
      pssShmemBytes: null,
      swapBytes: status?.swapBytes ?? null,
      pssEstimatedBytes: null,
      peakRssBytes: status?.peakRssBytes ?? null,
      cpuMs: (stat.cpuTicks * 1000) / clockTicksPerSecond,
      threadCount: stat.threadCount,
      majorFaultCount: stat.majorFaultCount,
      command: null,
      oomScoreAdj: null,
      cgroup: null,
      descriptorCount: null,
      readBytes: null,
      writtenBytes: null,
    };
  }

  close(): void {
    this.#files.close();
  }
}

/**
 * The sidecar among the children of its owner, by its name, where the client does not show it. Null
 * when there is none, or more than one.
 */
export function findSidecar(proc: ProcFs, ownerPid: number, units: KernelUnits): number | null {
  const found = proc.pids().filter((pid) => {
    const process = HostProcess.open(proc, pid, units);
    const reading = process?.read() ?? null;
    process?.close();
    return reading?.parentPid === ownerPid && reading.comm === sidecarComm;
  });
  return found.length === 1 ? (found[0] ?? null) : null;
}
