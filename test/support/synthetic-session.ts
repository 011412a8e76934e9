import type { Note } from '../../src/model/event.ts';
import type { ProcessRole } from '../../src/model/process-role.ts';
import type { ProcessReading, Sample } from '../../src/model/sample.ts';
import type { SessionFacts } from '../../src/model/session.ts';
import { uniformNumbers } from './uniform-numbers.ts';

export interface SyntheticOptions {
  tickCount: number;
  processCount?: number;
  intervalMs?: number;
  startUnixMs?: number;
  seed?: number;
  /** Of the machine; the limit of the session is half of it. Default: 8 GiB, enough for an hour. */
  memoryBytes?: number;
}

const mib = 2 ** 20;
const page = 4096;

/** 2026-01-05T10:00:00Z, the start of a minute and of an hour. */
export const syntheticStartUnixMs = 1_767_607_200_000;

/**
 * A made-up browser session, the same for the same seed. Its changes have the shape that was
 * recorded from a Chromium with churning tabs: 79 % of the RSS readings are those of the tick
 * before, most others come from a few busy processes, a tab dies and another opens now and then,
 * and PSS is read of one process a tick.
 */
export function* syntheticSamples(options: SyntheticOptions): Generator<Sample> {
  const { tickCount, processCount = 60, intervalMs = 1000, seed = 1 } = options;
  const memoryBytes = options.memoryBytes ?? 8192 * mib;
  const startUnixMs = options.startUnixMs ?? syntheticStartUnixMs;
  const random = uniformNumbers(seed);
  const processes = Array.from({ length: processCount }, (_, at) => newProcess(at, at, random));
  let born = processCount;
  for (let tick = 0; tick < tickCount; tick++) {
    if (tick % 22 === 21) {
      const at = processes.findLastIndex(({ role }) => role === 'renderer');
      const tab = Math.max(0, at - Math.floor(random() * 20));
      if (processes[tab]?.role === 'renderer') processes[tab] = newProcess(tab, born++, random);
    }
    for (const process of processes) live(process, random);
    const read = processes.reduce((a, b) => (b.pssTick < a.pssTick ? b : a));
    readPss(read, tick);
    yield sampleOf({ tick, intervalMs, startUnixMs, memoryBytes, processes, read, random });
  }
}

/** What happens with a sample: a note now and then, which names its tick. */
export function syntheticEvents({ sequence, timeUnixMs }: Sample): Note[] {
  if (sequence % 5 !== 0) return [];
  return [{ kind: 'note', timeUnixMs, code: 'cadence_changed', message: `tick ${sequence}` }];
}

export function syntheticFacts(facts: Partial<SessionFacts> = {}): SessionFacts {
  return {
    id: '6f1c1a54-3c5e-4a3c-9b7e-0d8f2a1b3c4d',
    source: 'local',
    labels: { suite: 'synthetic' },
    startedUnixMs: syntheticStartUnixMs,
    endedUnixMs: null,
    endReason: null,
    intervalMs: 1000,
    machine: {
      bootId: '11111111-2222-3333-4444-555555555555',
      kernel: '6.18.0',
      hostName: 'synthetic',
      cpuCount: 2,
      memoryTotalBytes: 8192 * mib,
      limitBytes: 8192 * mib,
      limitSource: 'machine',
      browserVersion: 'Chromium 156.0.7000.1',
      sampleSource: 'proc',
      clockTicksPerSecond: 100,
      pageSizeBytes: page,
    },
    collectorVersion: '0.1.0',
    ...facts,
  };
}

interface SyntheticProcess {
  pid: number;
  startTicks: number;
  role: ProcessRole;
  ofBrowser: boolean;
  command: string;
  busyTicks: number;
  fileBytes: number;
  anonBytes: number;
  shmemBytes: number;
  peakRssBytes: number;
  pss: { bytes: number; anonBytes: number; shmemBytes: number; atAnonBytes: number } | null;
  pssTick: number;
  cpuMs: number;
  threadCount: number;
  majorFaultCount: number;
}

const fixedRoles: readonly ProcessRole[] = [
  'browser',
  'zygote',
  'zygote',
  'gpu',
  'network',
  'storage',
  'utility',
  'crashpad',
  'extension',
  'extension',
];

function newProcess(place: number, born: number, random: () => number): SyntheticProcess {
  const role = place % 10 === 9 && place > 9 ? 'other' : (fixedRoles[place] ?? 'renderer');
  const sizeMib = { browser: 140, gpu: 90, renderer: 30 }[role as string] ?? 12;
  const anonBytes = pages(sizeMib * mib * (0.6 + 0.8 * random()));
  const fileBytes = pages((60 + 50 * random()) * mib);
  return {
    pid: 1000 + born,
    startTicks: 100_000 + born * 37,
    role,
    ofBrowser: role !== 'other',
    command: role === 'other' ? '/usr/bin/node /srv/task.js' : chromiumCommand(role),
    busyTicks: 0,
    fileBytes,
    anonBytes,
    shmemBytes: role === 'gpu' || role === 'renderer' ? pages(4 * mib * random()) : 0,
    peakRssBytes: 0,
    pss: null,
    pssTick: -1,
    cpuMs: 10 * Math.floor(20 * random()),
    threadCount: role === 'browser' ? 38 : 14,
    majorFaultCount: Math.floor(40 * random()),
  };
}

function live(process: SyntheticProcess, random: () => number): void {
  // A page works for some seconds, then rests for longer.
  if (process.busyTicks === 0 && random() < 0.013)
    process.busyTicks = 3 + Math.floor(30 * random());
  const busy = process.busyTicks > 0;
  if (busy) process.busyTicks--;
  if (random() < (busy ? 0.9 : 0.058)) {
    const reach = busy ? 4 * mib : 24 * page;
    const bytes = pages(reach * random() ** 2) + page;
    // Heaps grow in steps and fall back when garbage is collected.
    const grows = process.anonBytes < 300 * mib && random() < 0.6;
    process.anonBytes = Math.max(4 * mib, process.anonBytes + (grows ? bytes : -bytes));
  }
  if (random() < 0.002) process.fileBytes += 16 * page;
  process.cpuMs += busy ? 10 * Math.floor(16 * random()) : random() < 0.15 ? 10 : 0;
  if (random() < (busy ? 0.1 : 0.005)) {
    process.threadCount = Math.max(8, process.threadCount + (random() < 0.5 ? 1 : -1));
  }
  const rssBytes = process.fileBytes + process.anonBytes + process.shmemBytes;
  process.peakRssBytes = Math.max(process.peakRssBytes, rssBytes);
}

function readPss(process: SyntheticProcess, tick: number): void {
  const kib = (bytes: number) => 1024 * Math.floor(bytes / 1024);
  process.pss = {
    bytes: kib(process.anonBytes * 0.97 + process.fileBytes / 25 + process.shmemBytes / 2),
    anonBytes: kib(process.anonBytes * 0.97),
    shmemBytes: kib(process.shmemBytes / 2),
    atAnonBytes: process.anonBytes,
  };
  process.pssTick = tick;
}

interface Moment {
  tick: number;
  intervalMs: number;
  startUnixMs: number;
  memoryBytes: number;
  processes: readonly SyntheticProcess[];
  read: SyntheticProcess;
  random: () => number;
}

function sampleOf(moment: Moment): Sample {
  const { tick, intervalMs, startUnixMs, memoryBytes, processes, read, random } = moment;
  const readings = processes.map((process) => readingOf(process, process === read));
  const ofBrowser = readings.filter(({ browserPid }) => browserPid !== null);
  const anonBytes = sum(ofBrowser.map((reading) => reading.anonBytes ?? 0));
  const shmemBytes = sum(ofBrowser.map((reading) => reading.shmemBytes ?? 0));
  const estimates = ofBrowser.map(({ pssEstimatedBytes }) => pssEstimatedBytes);
  const cachedBytes = 900 * mib + pages(tick * 9000 + 2 * mib * random());
  const kernelBytes = 80 * mib + pages(mib * random());
  const usedBytes = 200 * mib + anonBytes + shmemBytes + kernelBytes;
  const seconds = (tick * intervalMs) / 1000;
  // Timers are late by a little, seldom by more.
  const latenessMs = Math.floor(3 * random() ** 4);
  return {
    sequence: tick + 1,
    timeUnixMs: startUnixMs + tick * intervalMs + latenessMs,
    monotonicMs: 5_000_000 + tick * intervalMs + latenessMs,
    intervalMs,
    machine: {
      totalBytes: memoryBytes,
      freeBytes: memoryBytes - usedBytes - cachedBytes,
      availableBytes: memoryBytes - usedBytes - 120 * mib,
      buffersBytes: 20 * mib + pages(tick * 500),
      cachedBytes,
      inactiveFileBytes: cachedBytes - 400 * mib,
      anonBytes: anonBytes + 100 * mib,
      shmemBytes: shmemBytes + 3 * mib,
      kernelBytes,
      swapTotalBytes: 0,
      swapFreeBytes: 0,
      zramBytes: null,
      devShmUsedBytes: null,
    },
    cgroup: {
      version: 2,
      path: '/session.slice/browser.scope',
      limitBytes: memoryBytes / 2,
      chargedBytes: usedBytes + cachedBytes / 2,
      inactiveFileBytes: cachedBytes / 2 - (cachedBytes % (2 * page)) / 2 - 150 * mib,
      anonBytes,
      shmemBytes,
      kernelBytes: 40 * mib + pages(mib * random()),
      swapBytes: 0,
      peakBytes: 3000 * mib,
      oomKillCount: 0,
      limitHitCount: 0,
    },
    pressure: {
      memorySomeMs: Math.floor(seconds / 40),
      memoryFullMs: Math.floor(seconds / 60),
      cpuSomeMs: 40_000 + Math.floor(seconds * 21),
      ioSomeMs: 3000 + Math.floor(seconds * 2),
      ioFullMs: 2000 + Math.floor(seconds),
    },
    activity: {
      cpuUserMs: 900_000 + 10 * Math.floor(seconds * 45),
      cpuSystemMs: 300_000 + 10 * Math.floor(seconds * 15),
      cpuIdleMs: 9_000_000 + 10 * Math.floor(seconds * 140),
      cpuIowaitMs: 2000 + 10 * Math.floor(seconds / 5),
      cpuStealMs: 10 * Math.floor(seconds / 9),
      forkCount: 20_000 + Math.floor(seconds * 3),
      majorFaultCount: 7000 + Math.floor(seconds * 2),
      refaultFileCount: 0,
      refaultAnonCount: 0,
      swapInBytes: 0,
      swapOutBytes: 0,
      directReclaimCount: 0,
      reclaimedBytes: 0,
      oomKillCount: 0,
    },
    browser: {
      processCount: ofBrowser.length,
      rssSumBytes: sum(ofBrowser.map(({ rssBytes }) => rssBytes ?? 0)),
      unreclaimableBytes: anonBytes + shmemBytes,
      pssEstimatedBytes: sumOrNull(estimates),
      zombieCount: 0,
    },
    collector: {
      pid: 900,
      readMs: Math.round(1000 * (3 + 2 * random())) / 1000,
      latenessMs,
      missedTickCount: 0,
      cpuMs: 200 + 10 * Math.floor(seconds),
      rssBytes: 47 * mib + pages(mib * random()),
    },
    processes: readings,
    unreadable: [],
  };
}

function readingOf(process: SyntheticProcess, justRead: boolean): ProcessReading {
  const { pss } = process;
  return {
    pid: process.pid,
    startTicks: process.startTicks,
    parentPid: process.role === 'browser' ? 1 : 1000,
    comm: process.ofBrowser ? 'chromium' : 'node',
    executable: process.ofBrowser ? 'chromium' : 'node',
    role: process.role,
    browserPid: process.ofBrowser ? 1000 : null,
    state: 'S',
    rssBytes: process.fileBytes + process.anonBytes + process.shmemBytes,
    anonBytes: process.anonBytes,
    shmemBytes: process.shmemBytes,
    pssBytes: justRead ? (pss?.bytes ?? null) : null,
    pssAnonBytes: justRead ? (pss?.anonBytes ?? null) : null,
    pssShmemBytes: justRead ? (pss?.shmemBytes ?? null) : null,
    swapBytes: 0,
    pssEstimatedBytes: pss === null ? null : pss.bytes + process.anonBytes - pss.atAnonBytes,
    peakRssBytes: process.peakRssBytes,
    cpuMs: process.cpuMs,
    threadCount: process.threadCount,
    majorFaultCount: process.majorFaultCount,
    command: process.command,
    ...(process.ofBrowser ? memberFacts(process) : noFacts),
  };
}

/** As long as those of Chromium 156 are without what it gives to each child anew. */
function chromiumCommand(role: ProcessRole): string {
  const flags =
    '--crashpad-handler-pid=0 --enable-crash-reporter=, --noerrdialogs --user-data-dir=/tmp/headroom-chromium-a1b2c3 --change-stack-guard-on-fork=enable --no-sandbox --remote-debugging-port=0 --ozone-platform=headless --disable-gpu-compositing --lang=en-US --num-raster-threads=1 --disable-features=PaintHolding';
  return role === 'browser'
    ? '/usr/lib/chromium/chromium --headless=new --no-sandbox --remote-debugging-port=0 about:blank'
    : `/usr/lib/chromium/chromium --type=${role} ${flags}`;
}

function memberFacts(process: SyntheticProcess) {
  const { cpuMs, role, threadCount } = process;
  return {
    oomScoreAdj: role === 'renderer' ? 300 : 0,
    cgroup: '/session.slice/browser.scope',
    descriptorCount: threadCount + 20 + (Math.floor(cpuMs / 1000) % 3),
    readBytes: page * Math.floor(cpuMs / 50),
    writtenBytes: page * Math.floor(cpuMs / 20),
  };
}

const noFacts = {
  oomScoreAdj: null,
  cgroup: null,
  descriptorCount: null,
  readBytes: null,
  writtenBytes: null,
};

function pages(bytes: number): number {
  return page * Math.floor(bytes / page);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function sumOrNull(values: readonly (number | null)[]): number | null {
  let total = 0;
  for (const value of values) {
    if (value === null) return null;
    total += value;
  }
  return total;
}
