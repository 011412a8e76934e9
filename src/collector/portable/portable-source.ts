import os from 'node:os';
import { HeadroomError } from '../../model/errors.ts';
import type {
  BrowserTotals,
  MachineActivity,
  MachineMemory,
  Sample,
  Unreadable,
} from '../../model/sample.ts';
import { placeProcesses } from '../chromium/browser-tree.ts';
import { costInTime } from '../own-cost.ts';
import type { EndedProcess } from '../process-table.ts';
import { type Clock, type SampleTaken, type Schedule, systemClock } from '../sampler.ts';
import { loadPortableLibraries, type PortableLibraries } from './portable-libraries.ts';
import {
  type CommandOptions,
  type ListedProcess,
  type PortableProcess,
  portableTicksPerSecond,
  toReading,
  updateProcesses,
} from './portable-process.ts';

/** Where samples come from on a system without /proc (macOS). */
export interface PortableSource extends CommandOptions {
  libraries: PortableLibraries;
  clock: Clock;
  /** What is known from the samples before. */
  processes: Map<number, PortableProcess>;
}

/** Loads the libraries; {@link PortableLibraries.close} ends what they keep between calls. */
export async function openPortableSource(
  options: CommandOptions = {},
  clock: Clock = systemClock,
): Promise<PortableSource> {
  return { ...options, libraries: await loadPortableLibraries(), clock, processes: new Map() };
}

/**
 * One reading through systeminformation and pidusage: memory of the machine, and RSS, CPU time,
 * parent, command line and role of every process. All else is null and listed in `unreadable`. It starts `ps`
 * twice and takes tens of milliseconds. Throws MACHINE_UNREADABLE without memory figures.
 */
export async function takePortableSample(
  source: PortableSource,
  schedule: Schedule,
): Promise<SampleTaken> {
  const { clock, libraries, processes } = source;
  const timeUnixMs = clock.wallMs();
  const monotonicMs = clock.monotonicMs();
  const [memory, listed] = await Promise.all([readMachine(libraries), listProcesses(libraries)]);
  const ended = listed === null ? [] : followProcesses(source, listed, timeUnixMs);
  const sample: Sample = {
    sequence: schedule.sequence,
    timeUnixMs,
    monotonicMs: Math.round(monotonicMs),
    intervalMs: schedule.intervalMs,
    machine: memory,
    cgroup: null,
    pressure: {
      memorySomeMs: null,
      memoryFullMs: null,
      cpuSomeMs: null,
      ioSomeMs: null,
      ioFullMs: null,
    },
    activity: readActivity(),
    browser: totals(listed === null ? [] : [...processes.values()]),
    collector: {
      ...costInTime(schedule, monotonicMs, clock.monotonicMs()),
      rssBytes: process.memoryUsage.rss(),
    },
    processes: listed === null ? [] : [...processes.values()].map(toReading),
    unreadable:
      listed === null ? [...withoutProc, { source: 'ps', reason: 'failed' }] : withoutProc,
  };
  return { sample, ended };
}

const proc = '/proc';

/** What only Linux tells: anonymous memory, PSS, pressure, faults, OOM kills, limits. */
const withoutProc: readonly Unreadable[] = [
  `${proc}/<pid>/statm`,
  `${proc}/<pid>/status`,
  `${proc}/<pid>/smaps_rollup`,
  `${proc}/pressure`,
  `${proc}/vmstat`,
  '/dev/kmsg',
  '/sys/fs/cgroup',
].map((source) => ({ source, reason: 'missing' }));

async function readMachine(libraries: PortableLibraries): Promise<MachineMemory> {
  const memory = await libraries.memory();
  if (!(memory.total > 0 && Number.isFinite(memory.free))) {
    throw new HeadroomError(
      'MACHINE_UNREADABLE',
      `systeminformation gives ${memory.total} bytes of memory, ${memory.free} free`,
    );
  }
  return {
    totalBytes: memory.total,
    freeBytes: memory.free,
    availableBytes: numberOrNull(memory.available),
    // 0 is how the library says that it does not know these two.
    buffersBytes: numberOrNull(memory.buffers) || null,
    cachedBytes: numberOrNull(memory.cached) || null,
    inactiveFileBytes: null,
    anonBytes: null,
    shmemBytes: null,
    kernelBytes: null,
    swapTotalBytes: numberOrNull(memory.swaptotal),
    swapFreeBytes: numberOrNull(memory.swapfree),
    zramBytes: null,
    devShmUsedBytes: null,
  };
}

/** Every process of which both libraries know; null when there is no list at this tick. */
async function listProcesses(libraries: PortableLibraries): Promise<ListedProcess[] | null> {
  const processes = await libraries.processes();
  if (processes.length === 0) return null;
  let usages: Awaited<ReturnType<PortableLibraries['usage']>>;
  try {
    usages = await libraries.usage(processes.map((process) => process.pid));
  } catch (error) {
    if (error instanceof TypeError) throw error;
    return null;
  }
  return processes.flatMap((process) => {
    // Gone in between; so are the shell and the ps that made the list.
    const usage = usages[process.pid];
    return usage == null ? [] : { ...process, usage };
  });
}

function followProcesses(
  source: PortableSource,
  listed: readonly ListedProcess[],
  timeUnixMs: number,
): EndedProcess[] {
  const { processes } = source;
  const ended = updateProcesses(processes, listed, source);
  placeProcesses(processes, {
    rootPid: null,
    nowTicks: (timeUnixMs * portableTicksPerSecond) / 1000,
    ticksPerSecond: portableTicksPerSecond,
  });
  return ended;
}

/** CPU time since boot over all CPUs; the other counters are Linux's own. */
function readActivity(): MachineActivity {
  let userMs = 0;
  let systemMs = 0;
  let idleMs = 0;
  for (const { times } of os.cpus()) {
    userMs += times.user + times.nice;
    systemMs += times.sys + times.irq;
    idleMs += times.idle;
  }
  return {
    cpuUserMs: userMs,
    cpuSystemMs: systemMs,
    cpuIdleMs: idleMs,
    cpuIowaitMs: null,
    cpuStealMs: null,
    forkCount: null,
    majorFaultCount: null,
    refaultFileCount: null,
    refaultAnonCount: null,
    swapInBytes: null,
    swapOutBytes: null,
    directReclaimCount: null,
    reclaimedBytes: null,
    oomKillCount: null,
  };
}

function totals(processes: readonly PortableProcess[]): BrowserTotals {
  const members = processes.filter((process) => process.browserPid !== null);
  const living = members.filter((process) => process.state !== 'Z');
  return {
    processCount: living.length,
    rssSumBytes:
      living.length === 0 ? null : living.reduce((sum, { rssBytes }) => sum + (rssBytes ?? 0), 0),
    unreclaimableBytes: null,
    pssEstimatedBytes: null,
    zombieCount: members.length - living.length,
  };
}

function numberOrNull(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
