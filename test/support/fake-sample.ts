import type { OomKill } from '../../src/model/event.ts';
import type {
  BrowserTotals,
  CgroupMemory,
  CollectorCost,
  MachineActivity,
  MachineMemory,
  Pressure,
  ProcessReading,
  Sample,
} from '../../src/model/sample.ts';
import type { MachineFacts, SessionFacts } from '../../src/model/session.ts';

export const mib = 2 ** 20;

/** 2026-11-29T14:00:00Z */
export const startUnixMs = 1_795_960_800_000;

/** Parts of a sample; what is left out is unknown, or zero where it cannot be unknown. */
export interface FakeSampleParts {
  /** Seconds since the start, on both clocks. */
  second: number;
  sequence?: number;
  timeUnixMs?: number;
  monotonicMs?: number;
  intervalMs?: number;
  machine?: Partial<MachineMemory>;
  cgroup?: Partial<CgroupMemory>;
  pressure?: Partial<Pressure>;
  activity?: Partial<MachineActivity>;
  /** Sums that are given; the others are made from the processes. */
  browser?: Partial<BrowserTotals>;
  collector?: Partial<CollectorCost>;
  processes?: readonly ProcessReading[];
}

export function fakeSample(parts: FakeSampleParts): Sample {
  const { second, processes = [] } = parts;
  return {
    sequence: parts.sequence ?? second + 1,
    timeUnixMs: parts.timeUnixMs ?? startUnixMs + second * 1000,
    monotonicMs: parts.monotonicMs ?? 50_000 + second * 1000,
    intervalMs: parts.intervalMs ?? 1000,
    machine: { ...unknownMachine, ...parts.machine },
    cgroup: parts.cgroup === undefined ? null : { ...unknownCgroup, ...parts.cgroup },
    pressure: { ...unknownPressure, ...parts.pressure },
    activity: { ...unknownActivity, ...parts.activity },
    browser: { ...browserTotals(processes), ...parts.browser },
    collector: { ...noCost, ...parts.collector },
    processes,
    unreadable: [],
  };
}

export function fakeProcess(
  parts: Partial<ProcessReading> & Pick<ProcessReading, 'pid' | 'role'>,
): ProcessReading {
  return {
    startTicks: parts.pid * 10,
    parentPid: 1,
    comm: parts.role === 'other' ? 'node' : 'chromium',
    executable: parts.role === 'other' ? 'node' : 'chromium',
    browserPid: parts.role === 'other' ? null : 100,
    state: 'S',
    rssBytes: null,
    anonBytes: null,
    shmemBytes: null,
    pssBytes: null,
    pssAnonBytes: null,
    pssShmemBytes: null,
    swapBytes: null,
    pssEstimatedBytes: parts.pssBytes ?? null,
    peakRssBytes: null,
    cpuMs: 0,
    threadCount: 1,
    majorFaultCount: 0,
    command: null,
    oomScoreAdj: null,
    cgroup: null,
    descriptorCount: null,
    readBytes: null,
    writtenBytes: null,
    ...parts,
  };
}

export function fakeFacts(parts: Partial<SessionFacts> = {}): SessionFacts {
  return {
    id: '3f1f3a52-8a35-4d5f-9d3a-000000000001',
    source: 'local',
    labels: {},
    startedUnixMs: startUnixMs,
    endedUnixMs: startUnixMs + 60_000,
    endReason: 'duration',
    intervalMs: 1000,
    machine: fakeMachineFacts(),
    collectorVersion: '0.1.0',
    ...parts,
  };
}

export function fakeMachineFacts(parts: Partial<MachineFacts> = {}): MachineFacts {
  return {
    bootId: 'b0000000-0000-4000-8000-000000000001',
    kernel: '6.18.44',
    hostName: 'vm',
    cpuCount: 2,
    memoryTotalBytes: 1024 * mib,
    limitBytes: 1024 * mib,
    limitSource: 'machine',
    browserVersion: null,
    sampleSource: 'proc',
    clockTicksPerSecond: 100,
    pageSizeBytes: 4096,
    ...parts,
  };
}

export function fakeOomKill(parts: Partial<OomKill> & Pick<OomKill, 'pid' | 'comm'>): OomKill {
  return {
    kind: 'oom_kill',
    timeUnixMs: null,
    kernelMs: 0,
    kmsgSequence: 1200,
    uid: 0,
    rssBytes: null,
    anonBytes: null,
    fileBytes: null,
    shmemBytes: null,
    totalVmBytes: null,
    pageTablesBytes: null,
    oomScoreAdj: null,
    scope: 'cgroup',
    constraint: null,
    cgroup: null,
    taskCgroup: null,
    triggerPid: null,
    triggerComm: null,
    cgroupUsageBytes: null,
    cgroupLimitBytes: null,
    tasksListed: null,
    largestOtherPid: null,
    largestOtherComm: null,
    largestOtherRssBytes: null,
    oomGroup: null,
    context: 'full',
    beforeStart: false,
    ...parts,
  };
}

const unknownMachine: MachineMemory = {
  totalBytes: 1024 * mib,
  freeBytes: 0,
  availableBytes: null,
  buffersBytes: null,
  cachedBytes: null,
  inactiveFileBytes: null,
  anonBytes: null,
  shmemBytes: null,
  kernelBytes: null,
  swapTotalBytes: null,
  swapFreeBytes: null,
  zramBytes: null,
  devShmUsedBytes: null,
};

const unknownCgroup: CgroupMemory = {
  version: 2,
  path: '/session',
  limitBytes: null,
  chargedBytes: null,
  inactiveFileBytes: null,
  anonBytes: null,
  shmemBytes: null,
  kernelBytes: null,
  swapBytes: null,
  peakBytes: null,
  oomKillCount: null,
  limitHitCount: null,
};

const unknownPressure: Pressure = {
  memorySomeMs: null,
  memoryFullMs: null,
  cpuSomeMs: null,
  ioSomeMs: null,
  ioFullMs: null,
};

const unknownActivity: MachineActivity = {
  cpuUserMs: null,
  cpuSystemMs: null,
  cpuIdleMs: null,
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

const noCost: CollectorCost = {
  pid: 999,
  readMs: 0,
  latenessMs: 0,
  missedTickCount: 0,
  cpuMs: 0,
  rssBytes: null,
};

function browserTotals(processes: readonly ProcessReading[]): BrowserTotals {
  const ours = processes.filter((process) => process.browserPid !== null);
  const living = ours.filter((process) => process.state !== 'Z');
  const total = (figure: (process: ProcessReading) => number | null) =>
    living.length === 0
      ? null
      : living
          .map(figure)
          .reduce((sum, value) => (sum === null || value === null ? null : sum + value), 0);
  return {
    processCount: living.length,
    rssSumBytes: total((process) => process.rssBytes),
    unreclaimableBytes: total((process) => process.anonBytes),
    pssEstimatedBytes: total((process) => process.pssEstimatedBytes),
    zombieCount: ours.length - living.length,
  };
}
