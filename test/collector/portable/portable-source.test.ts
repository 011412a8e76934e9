import fs from 'node:fs';
import { describe, expect, test } from 'vitest';
import type {
  LibraryMemory,
  LibraryProcess,
  LibraryUsage,
  PortableLibraries,
} from '../../../src/collector/portable/portable-libraries.ts';
import {
  openPortableSource,
  type PortableSource,
  takePortableSample,
} from '../../../src/collector/portable/portable-source.ts';

const gib = 2 ** 30;
const nowMs = 1_795_972_910_000;
const schedule = { sequence: 7, intervalMs: 5000, dueMonotonicMs: 123_455.466, missedTickCount: 2 };

// What systeminformation makes of macOS: 0 for buffers and cached, which it does not know there.
const memory: LibraryMemory = {
  total: 16 * gib,
  free: gib,
  available: 6 * gib,
  buffers: 0,
  cached: 0,
  swaptotal: 2 * gib,
  swapfree: gib,
};

const contents = '/Applications/Google Chrome.app/Contents';
const helpers = `${contents}/Frameworks/Google Chrome Framework.framework/Versions/156/Helpers`;

const browser: LibraryProcess = {
  pid: 500,
  parentPid: 1,
  path: `${contents}/MacOS`,
  command: 'Google Chrome',
  params: '--remote-debugging-port=9222 --user-data-dir=/tmp/profile',
  state: 'sleeping',
};
const renderer: LibraryProcess = {
  pid: 501,
  parentPid: 500,
  path: `${helpers}/Google Chrome Helper (Renderer).app/Contents/MacOS`,
  command: 'Google Chrome Helper (Renderer)',
  params: '--type=renderer --lang=en-US',
  state: 'running',
};
const network: LibraryProcess = {
  pid: 502,
  parentPid: 500,
  path: `${helpers}/Google Chrome Helper.app/Contents/MacOS`,
  command: 'Google Chrome Helper',
  params: '--type=utility --utility-sub-type=network.mojom.NetworkService',
  state: 'sleeping',
};
const shell: LibraryProcess = {
  pid: 90,
  parentPid: 1,
  path: '/bin',
  command: 'zsh',
  params: '',
  state: 'sleeping',
};

interface Fake {
  memory: LibraryMemory;
  processes: LibraryProcess[];
  usage: Record<number, LibraryUsage | null>;
  failure: Error | null;
}

function usageOf(ageMs: number, over: Partial<LibraryUsage> = {}): LibraryUsage {
  return { memory: 100_000_000, ctime: 1500, elapsed: ageMs, timestamp: nowMs, ...over };
}

function fakeSource(over: Partial<Fake> = {}): { fake: Fake; source: PortableSource } {
  const fake: Fake = {
    memory,
    processes: [browser, renderer, network, shell],
    usage: {
      500: usageOf(60_000, { memory: 300_000_000 }),
      501: usageOf(50_000, { memory: 200_000_000, ctime: 2510 }),
      502: usageOf(59_000),
      90: usageOf(900_000),
    },
    failure: null,
    ...over,
  };
  const libraries: PortableLibraries = {
    memory: async () => fake.memory,
    processes: async () => fake.processes,
    usage: async () => {
      if (fake.failure !== null) throw fake.failure;
      return fake.usage;
    },
    close: () => undefined,
  };
  const clock = { wallMs: () => nowMs, monotonicMs: () => 123_456.7 };
  return { fake, source: { libraries, clock, processes: new Map() } };
}

describe('a sample of macOS', () => {
  test('the machine', async () => {
    const { sample } = await takePortableSample(fakeSource().source, schedule);
    expect(sample).toMatchObject({
      sequence: 7,
      timeUnixMs: nowMs,
      monotonicMs: 123_457,
      intervalMs: 5000,
      cgroup: null,
      pressure: { memorySomeMs: null, memoryFullMs: null },
      activity: { oomKillCount: null, majorFaultCount: null },
      collector: { pid: process.pid, latenessMs: 1.23, missedTickCount: 2 },
    });
    expect(sample.machine).toEqual({
      totalBytes: 16 * gib,
      freeBytes: gib,
      availableBytes: 6 * gib,
      buffersBytes: null,
      cachedBytes: null,
      inactiveFileBytes: null,
      anonBytes: null,
      shmemBytes: null,
      kernelBytes: null,
      swapTotalBytes: 2 * gib,
      swapFreeBytes: gib,
      zramBytes: null,
      devShmUsedBytes: null,
    });
  });

  test('processes, with roles and the browser they belong to', async () => {
    const { sample, ended } = await takePortableSample(fakeSource().source, schedule);
    expect(ended).toEqual([]);
    expect(
      sample.processes.map(({ pid, parentPid, role, browserPid, executable }) => ({
        pid,
        parentPid,
        role,
        browserPid,
        executable,
      })),
    ).toEqual([
      { pid: 500, parentPid: 1, role: 'browser', browserPid: 500, executable: 'Google Chrome' },
      {
        pid: 501,
        parentPid: 500,
        role: 'renderer',
        browserPid: 500,
        executable: 'Google Chrome Helper (Renderer)',
      },
      {
        pid: 502,
        parentPid: 500,
        role: 'network',
        browserPid: 500,
        executable: 'Google Chrome Helper',
      },
      { pid: 90, parentPid: 1, role: 'other', browserPid: null, executable: 'zsh' },
    ]);
    expect(sample.processes[1]).toMatchObject({
      comm: 'Google Chrome H',
      startTicks: (nowMs - 50_000) / 10,
      state: 'R',
      rssBytes: 200_000_000,
      cpuMs: 2510,
      anonBytes: null,
      pssBytes: null,
      pssEstimatedBytes: null,
      swapBytes: null,
      peakRssBytes: null,
      threadCount: null,
      majorFaultCount: null,
      oomScoreAdj: null,
      cgroup: null,
      descriptorCount: null,
      readBytes: null,
      writtenBytes: null,
    });
    expect(sample.browser).toEqual({
      processCount: 3,
      rssSumBytes: 600_000_000,
      unreclaimableBytes: null,
      pssEstimatedBytes: null,
      zombieCount: 0,
    });
  });

  test('what is not known is said', async () => {
    const { sample } = await takePortableSample(fakeSource().source, schedule);
    expect(sample.unreadable).toEqual(
      [
        '/proc/<pid>/statm',
        '/proc/<pid>/status',
        '/proc/<pid>/smaps_rollup',
        '/proc/pressure',
        '/proc/vmstat',
        '/dev/kmsg',
        '/sys/fs/cgroup',
      ].map((source) => ({ source, reason: 'missing' })),
    );
  });
});

describe('processes from sample to sample', () => {
  test('an age in whole seconds does not make a new process, another start does', async () => {
    const { fake, source } = fakeSource({ processes: [browser, renderer] });
    const first = await takePortableSample(source, schedule);

    // 1.2 s later `ps` tells 2 s more, or none.
    fake.usage[500] = usageOf(62_000, { timestamp: nowMs + 1200 });
    fake.usage[501] = usageOf(50_000, { timestamp: nowMs + 1200 });
    const second = await takePortableSample(source, schedule);
    expect(second.ended).toEqual([]);
    expect(second.sample.processes.map((process) => process.startTicks)).toEqual(
      first.sample.processes.map((process) => process.startTicks),
    );

    fake.usage[501] = usageOf(0, { timestamp: nowMs + 6000 });
    const third = await takePortableSample(source, schedule);
    expect(third.ended).toEqual([
      expect.objectContaining({ pid: 501, startTicks: (nowMs - 50_000) / 10, role: 'renderer' }),
    ]);
    expect(third.sample.processes[1]?.startTicks).toBe((nowMs + 6000) / 10);
  });

  test('one that is gone has ended; one that goes between the two readings never was', async () => {
    const { fake, source } = fakeSource();
    fake.usage[502] = null;
    const first = await takePortableSample(source, schedule);
    expect(first.sample.processes.map((process) => process.pid)).toEqual([500, 501, 90]);
    fake.processes = [browser, shell];
    const second = await takePortableSample(source, schedule);
    expect(second.ended).toEqual([
      expect.objectContaining({ pid: 501, role: 'renderer', browserPid: 500 }),
    ]);
  });

  test('a zombie has no memory and is counted apart', async () => {
    const zombie = { ...renderer, state: 'zombie' };
    const { source } = fakeSource({ processes: [browser, zombie] });
    const { sample } = await takePortableSample(source, schedule);
    expect(sample.processes[1]).toMatchObject({ state: 'Z', rssBytes: null });
    expect(sample.browser).toMatchObject({
      processCount: 1,
      zombieCount: 1,
      rssSumBytes: 300_000_000,
    });
  });

  test.each<[string, Partial<Fake>]>([
    ['ps fails', { failure: new Error('spawn ps EAGAIN') }],
    ['the list is empty', { processes: [] }],
  ])('%s: the sample survives, and nobody has ended', async (_, failure) => {
    const { fake, source } = fakeSource();
    await takePortableSample(source, schedule);
    const { processes } = fake;
    Object.assign(fake, failure);
    const { sample, ended } = await takePortableSample(source, schedule);
    expect(ended).toEqual([]);
    expect(sample.machine.totalBytes).toBe(16 * gib);
    expect(sample.processes).toEqual([]);
    expect(sample.browser).toMatchObject({ processCount: 0, rssSumBytes: null });
    expect(sample.unreadable.at(-1)).toEqual({ source: 'ps', reason: 'failed' });

    Object.assign(fake, { processes, failure: null });
    const after = await takePortableSample(source, schedule);
    expect(after.ended).toEqual([]);
    expect(after.sample.browser.processCount).toBe(3);
  });
});

test('arguments, which may hold secrets, are not taken for names', async () => {
  const curl = { ...shell, path: '/usr/bin', command: 'curl token=hunter2', params: '-x' };
  const script = { ...shell, pid: 91, path: '', command: 'sh login hunter2', params: '' };
  const { source } = fakeSource({
    processes: [curl, script],
    usage: { 90: usageOf(1000), 91: usageOf(1000) },
  });
  const { sample } = await takePortableSample(source, schedule);
  expect(sample.processes.map(({ comm, executable }) => ({ comm, executable }))).toEqual([
    { comm: 'curl', executable: 'curl' },
    { comm: 'sh', executable: null },
  ]);
});

describe('command lines', () => {
  const proxied: LibraryProcess = {
    ...browser,
    params: '--proxy-server=http://joe:hunter2@proxy:3128 --user-data-dir=/tmp/profile',
  };
  const told = `${contents}/MacOS/Google Chrome --proxy-server=http://…@proxy:3128 --user-data-dir=/tmp/profile`;

  test('are told without credentials, from sample to sample', async () => {
    const { fake, source } = fakeSource({ processes: [proxied] });
    const commands: (string | null | undefined)[] = [];
    for (const params of [proxied.params, proxied.params, '--api-token hunter2']) {
      fake.processes = [{ ...proxied, params }];
      commands.push((await takePortableSample(source, schedule)).sample.processes[0]?.command);
    }
    expect(commands).toEqual([told, told, `${contents}/MacOS/Google Chrome --api-token …`]);
  });

  test('are left out when they are not to be recorded', async () => {
    const { source } = fakeSource({ processes: [proxied] });
    const { sample } = await takePortableSample({ ...source, storesCommands: false }, schedule);
    expect(sample.processes[0]).toMatchObject({ role: 'browser', command: null });
  });
});

test.each([Number.NaN, 0])('memory of %d bytes: MACHINE_UNREADABLE', async (total) => {
  const { source } = fakeSource({ memory: { ...memory, total } });
  await expect(takePortableSample(source, schedule)).rejects.toMatchObject({
    code: 'MACHINE_UNREADABLE',
  });
});

test.runIf(process.platform === 'linux')('with the libraries: as the kernel says', async () => {
  const source = await openPortableSource();
  const before = fs.readFileSync('/proc/meminfo', 'utf8');
  const { sample } = await takePortableSample(source, { ...schedule, sequence: 1 });
  const after = fs.readFileSync('/proc/meminfo', 'utf8');
  source.libraries.close();

  const totalBytes = kernelBytes(before, 'MemTotal');
  expect(sample.machine.totalBytes).toBe(totalBytes);
  expect(sample.machine.swapTotalBytes).toBe(kernelBytes(before, 'SwapTotal'));
  // Others allocate and free meanwhile.
  for (const [bytes, key] of [
    [sample.machine.freeBytes, 'MemFree'],
    [sample.machine.availableBytes, 'MemAvailable'],
  ] as const) {
    const bounds = [kernelBytes(before, key), kernelBytes(after, key)];
    expect(bytes).toBeGreaterThan(Math.min(...bounds) - totalBytes / 100);
    expect(bytes).toBeLessThan(Math.max(...bounds) + totalBytes / 100);
  }

  const own = sample.processes.find((reading) => reading.pid === process.pid);
  expect(own).toMatchObject({ parentPid: process.ppid, role: 'other' });
  const status = fs.readFileSync('/proc/self/status', 'utf8');
  expect((own?.rssBytes ?? 0) / kernelBytes(status, 'VmRSS')).toBeCloseTo(1, 0);
  expect(own?.cpuMs).toBeGreaterThan(0);
});

function kernelBytes(text: string, key: string): number {
  return Number(new RegExp(`^${key}:\\s+(\\d+) kB`, 'm').exec(text)?.[1]) * 1024;
}
