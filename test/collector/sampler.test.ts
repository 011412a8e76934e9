import { fileURLToPath } from 'node:url';
import { describe, expect, test, vi } from 'vitest';
import { Sampler, type SamplerSources } from '../../src/collector/sampler.ts';
import type { CgroupMemory, Pressure } from '../../src/model/sample.ts';
import { caseBytes, caseJson, caseLines } from '../support/cases.ts';
import { startChromium } from '../support/chromium-processes.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { FakeProc } from '../support/fake-proc.ts';
import { readSources } from '../support/source-files.ts';
import { sourceImports } from '../support/source-imports.ts';

function sampling(changed: Partial<SamplerSources> = {}) {
  const fake = new FakeProc();
  const clock = new FakeClock();
  const sampler = new Sampler({
    proc: fake.procFs,
    units: { clockTicksPerSecond: 100, pageSizeBytes: 4096 },
    readCgroup: () => null,
    readCgroupPressure: () => null,
    clock,
    rootPid: null,
    descriptorLimit: 1_000,
    ...changed,
  });
  let sequence = 0;
  const take = () => {
    sequence++;
    clock.advance(1_000);
    fake.machine['uptime'] = `${(3_000 + sequence).toFixed(2)} 5000.00\n`;
    const dueMonotonicMs = clock.monotonic - 0.126;
    return sampler.take({ sequence, intervalMs: 1_000, dueMonotonicMs, missedTickCount: 3 });
  };
  return { fake, clock, sampler, take };
}

test.each([
  ['late', -40, 40],
  ['a little early, as timers are', 0.6, 0],
])('%s by the sample’s own clock', (_, dueInMs, latenessMs) => {
  const { clock, sampler } = sampling();
  const dueMonotonicMs = clock.monotonic + dueInMs;
  const schedule = { sequence: 1, intervalMs: 1_000, dueMonotonicMs, missedTickCount: 0 };
  expect(sampler.take(schedule).sample.collector.latenessMs).toBe(latenessMs);
});

function startBrowser(fake: FakeProc) {
  startChromium(fake, 'browser', { pid: 10, parentPid: 1 });
  startChromium(fake, 'zygote', { pid: 11, parentPid: 10 });
  startChromium(fake, 'renderer', { pid: 12, parentPid: 11 });
}

test('one sample of a browser', () => {
  const { fake, take } = sampling();
  startChromium(fake, 'browser', {
    pid: 10,
    parentPid: 1,
    residentPages: 50_000,
    sharedPages: 40_000,
    shmemKb: 400,
    peakRssKb: 210_000,
    swapKb: 8,
    pssKb: 120_000,
    utimeTicks: 72,
    stimeTicks: 51,
    threads: 31,
    majorFaults: 4,
    oomScoreAdj: 200,
    cgroup: '4:memory:/session\n0::/\n',
    descriptors: 170,
    readBytes: 1_675_264,
    writtenBytes: 3_006_464,
  });
  const { sample, ended } = take();
  expect(ended).toEqual([]);
  expect(sample.processes).toEqual([
    {
      pid: 10,
      startTicks: 100,
      parentPid: 1,
      comm: 'chromium',
      executable: 'chromium',
      role: 'browser',
      browserPid: 10,
      state: 'S',
      rssBytes: 204_800_000,
      anonBytes: 40_960_000,
      shmemBytes: 409_600,
      pssBytes: 122_880_000,
      pssAnonBytes: 1_024_000,
      pssShmemBytes: 10_240,
      swapBytes: 8_192,
      pssEstimatedBytes: 122_880_000,
      peakRssBytes: 215_040_000,
      cpuMs: 1_230,
      threadCount: 31,
      majorFaultCount: 4,
      command:
        '/usr/lib/chromium/chromium --headless --no-sandbox --user-data-dir=/tmp/p about:blank',
      oomScoreAdj: 200,
      cgroup: '/session',
      descriptorCount: 170,
      readBytes: 1_675_264,
      writtenBytes: 3_006_464,
    },
  ]);
  expect(sample.browser).toEqual({
    processCount: 1,
    zombieCount: 0,
    rssSumBytes: 204_800_000,
    unreclaimableBytes: 40_960_000 + 409_600,
    pssEstimatedBytes: 122_880_000,
  });
  expect(sample).toMatchObject({
    sequence: 1,
    timeUnixMs: 1_795_960_801_000,
    monotonicMs: 51_000,
    intervalMs: 1_000,
    cgroup: null,
    unreadable: [],
    collector: { pid: process.pid, latenessMs: 0.13, missedTickCount: 3 },
  });
});

test('PSS is in the sample in which it was read, and estimated in the others', () => {
  const { fake, take } = sampling();
  startChromium(fake, 'browser', { pid: 10, residentPages: 50_000, sharedPages: 40_000 });
  take();
  fake.change(10, { residentPages: 50_100 });
  const [browser] = take().sample.processes;
  expect(browser).toMatchObject({ pssBytes: null, pssAnonBytes: null, pssShmemBytes: null });
  expect(browser?.pssEstimatedBytes).toBe(15_000 * 1024 + 100 * 4096);
});

test('of a process outside of browsers the command line is told, and no more', () => {
  const { fake, take } = sampling();
  fake.start(20, { oomScoreAdj: 100 });
  expect(take().sample.processes[0]).toMatchObject({
    command: '/usr/bin/node task.js',
    oomScoreAdj: null,
    cgroup: null,
    descriptorCount: null,
    readBytes: null,
    writtenBytes: null,
  });
});

test('an idle process that gives itself another command line is told anew', () => {
  const { fake, take } = sampling();
  fake.start(20, { startTicks: 300_000 });
  take();
  fake.change(20, { cmdline: 'task: waiting\0' });
  expect(take().sample.processes[0]?.command).toBe('task: waiting');
});

test('command lines are left out when they are not to be recorded', () => {
  const { fake, take } = sampling({ storesCommands: false });
  startBrowser(fake);
  const { processes } = take().sample;
  expect(processes.map(({ role }) => role)).toEqual(['browser', 'zygote', 'renderer']);
  expect(processes.map(({ command }) => command)).toEqual([null, null, null]);
});

test('a zombie keeps what was known of it', () => {
  const { fake, take } = sampling();
  startBrowser(fake);
  fake.change(12, { oomScoreAdj: 300, descriptors: 27 });
  take();
  fake.becomeZombie(12);
  fake.change(12, { cgroup: '0::/\n' });
  for (let tick = 0; tick < 7; tick++) take();
  expect(take().sample.processes[2]).toMatchObject({
    state: 'Z',
    oomScoreAdj: 300,
    descriptorCount: 27,
    command:
      '/usr/lib/chromium/chromium --type=renderer --no-sandbox --user-data-dir=/tmp/p --lang=en-US',
  });
});

test('a machine without one process', () => {
  const { sample } = sampling().take();
  expect(sample.processes).toEqual([]);
  expect(sample.browser).toEqual({
    processCount: 0,
    zombieCount: 0,
    rssSumBytes: null,
    unreclaimableBytes: null,
    pssEstimatedBytes: null,
  });
  expect(sample.collector.rssBytes).toBeNull();
});

test('case 005: one ends, one has no PSS, the sample is there', () => {
  const { fake, take } = sampling();
  for (const pid of [100, 101, 102]) startChromium(fake, 'browser', { pid });
  fake.change(102, { faults: { smaps_rollup: 'ENOENT' } });
  take();
  fake.change(101, { faults: { stat: { read: 'ESRCH' } } });
  fake.change(102, { utimeTicks: 7 });
  const { sample, ended } = take();
  expect(ended).toEqual([{ pid: 101, startTicks: 1010, role: 'browser', browserPid: 101 }]);
  expect(sample.processes.map(({ pid }) => pid)).toEqual([100, 102]);
  expect(sample.processes[1]).toMatchObject({
    rssBytes: 5_000 * 4096,
    cpuMs: 70,
    pssBytes: null,
    pssEstimatedBytes: null,
  });
  expect(sample.unreadable).toEqual([]);
});

describe('case 003', () => {
  const folder = '003-kthread-and-zombie-have-no-memory';
  const files = (kind: string) =>
    Object.fromEntries(
      ['stat', 'statm', 'status', 'cmdline'].map((name) => [
        name,
        caseBytes(`${folder}/${kind}/${name}`),
      ]),
    );

  test('a kernel thread is no row and no error; a zombie is a row without memory', () => {
    const { fake, take } = sampling();
    const absent = { exe: null, pssKb: null };
    fake.start(2, { files: files('kthread'), ...absent });
    fake.start(12794, { files: files('zombie'), ...absent });
    const { sample } = take();
    expect(sample.unreadable).toEqual([]);
    expect(sample.processes).toEqual([
      expect.objectContaining({
        pid: 12794,
        startTicks: 260231,
        comm: 'python3',
        state: 'Z',
        rssBytes: null,
        anonBytes: null,
        shmemBytes: null,
        swapBytes: null,
        pssBytes: null,
        pssEstimatedBytes: null,
      }),
    ]);
    expect(sample.browser.processCount).toBe(0);
  });
});

test('case 009: the figures of busybox’s ps come from /proc, exactly', () => {
  const { fake, take } = sampling();
  fake.start(1, { comm: 'init', residentPages: (15 * 2 ** 20) / 4096 });
  startChromium(fake, 'browser', { pid: 57, residentPages: (73 * 2 ** 20) / 4096 });
  startChromium(fake, 'crashpad', { pid: 62, residentPages: (960 * 1024) / 4096 });
  const rows = take().sample.processes.map(({ pid, rssBytes }) => [String(pid), rssBytes]);
  expect(Object.fromEntries(rows)).toEqual(caseJson('009-busybox-ps-and-no-ps/expected.json'));
});

test('case 009: no ps, no shell: nothing that makes a sample starts a process', () => {
  const folder = fileURLToPath(new URL('../../src/collector', import.meta.url));
  const sources = [...readSources(folder)].filter(([file]) =>
    /^collector\/([^/]+|(procfs|chromium|cgroup)\/[^/]+)$/.test(file),
  );
  expect(sources.length).toBeGreaterThan(20);
  for (const [file, source] of sources) {
    const imported = sourceImports(source).map(({ specifier }) => specifier);
    expect(imported, file).not.toContain('node:child_process');
  }
});

test('case 054: zombies pile up beside two renderers, and no memory with them', () => {
  interface Row {
    pid: number;
    start: number;
    type?: 'browser' | 'renderer';
    ppid?: number;
    comm?: string;
    state: string;
    rss_kb?: number;
  }
  const folder = '054-zombies-pile-up';
  const { fake, take } = sampling();
  const renderers: number[] = [];
  const zombies: number[] = [];
  const memory = new Set<number | null>();
  for (const { procs } of caseLines<{ procs: Row[] }>(`${folder}/samples.jsonl`)) {
    for (const row of procs) {
      if (fake.processes.has(row.pid)) continue;
      startChromium(fake, row.type ?? 'renderer', {
        pid: row.pid,
        startTicks: row.start,
        parentPid: row.ppid ?? (row.type === 'renderer' ? 10 : 1),
        residentPages: (row.rss_kb ?? 0) / 4,
        sharedPages: 0,
      });
      if (row.state === 'Z') {
        fake.becomeZombie(row.pid);
        fake.change(row.pid, { comm: row.comm ?? '' });
      }
    }
    const { sample } = take();
    renderers.push(sample.processes.filter(({ role }) => role === 'renderer').length);
    zombies.push(sample.browser.zombieCount);
    memory.add(sample.browser.rssSumBytes);
    const dead = sample.processes.filter(({ state }) => state === 'Z');
    expect(new Set(dead.map(({ parentPid }) => parentPid))).toEqual(new Set([1]));
  }
  expect({ renderers, zombies }).toEqual(caseJson(`${folder}/expected.json`));
  expect(memory).toEqual(new Set([(200_000 + 90_000 + 91_000) * 1024]));
});

describe('with --pid', () => {
  test('only the root and what descends from it is the browser', () => {
    const { fake, take } = sampling({ rootPid: 5 });
    fake.start(5);
    startChromium(fake, 'browser', { pid: 10, parentPid: 5 });
    startChromium(fake, 'browser', { pid: 20, parentPid: 1 });
    const { sample } = take();
    expect(sample.processes.map(({ pid, browserPid }) => [pid, browserPid])).toEqual([
      [5, 5],
      [10, 5],
      [20, null],
    ]);
    expect(sample.browser.processCount).toBe(2);
  });
});

describe('memory of the cgroup', () => {
  const unknown = {
    inactiveFileBytes: null,
    anonBytes: null,
    shmemBytes: null,
    kernelBytes: null,
    swapBytes: null,
    peakBytes: null,
    oomKillCount: null,
    limitHitCount: null,
  };
  const cgroup: CgroupMemory = {
    ...unknown,
    version: 2,
    path: '/s',
    limitBytes: 2 ** 28,
    chargedBytes: 2 ** 27,
  };
  const stall: Pressure = {
    memorySomeMs: 900,
    memoryFullMs: 800,
    cpuSomeMs: 1,
    ioSomeMs: 2,
    ioFullMs: 3,
  };

  test('its stall times where its limit binds at the first sample, and from then on', () => {
    const readCgroup = vi.fn(() => cgroup);
    const readCgroupPressure = vi.fn<() => Pressure | null>(() => stall);
    const { take } = sampling({ readCgroup, readCgroupPressure });
    expect(take().sample).toMatchObject({ cgroup, pressure: stall });
    expect(readCgroup).toHaveBeenCalledWith(2 ** 30);
    readCgroup.mockReturnValue({ ...cgroup, limitBytes: null });
    expect(take().sample.pressure).toEqual(stall);
    readCgroupPressure.mockReturnValue(null);
    expect(take().sample.pressure.memorySomeMs).toBeNull();
  });

  test('the machine’s stall times where no limit binds', () => {
    const readCgroup = () => ({ ...cgroup, limitBytes: null });
    const { take } = sampling({ readCgroup, readCgroupPressure: () => stall });
    expect(take().sample.pressure.memorySomeMs).toBe(0);
  });

  test('for the facts of the session, before the first sample', () => {
    const { sampler } = sampling({ readCgroup: () => cgroup });
    expect(sampler.readMemory()).toMatchObject({ machine: { totalBytes: 2 ** 30 }, cgroup });
  });
});

test('without meminfo there is no sample', () => {
  const { fake, take } = sampling();
  fake.faults.set('meminfo', 'EACCES');
  expect(take).toThrow(expect.objectContaining({ code: 'MACHINE_UNREADABLE' }));
});

test('without uptime the monotonic clock tells the age of a process', () => {
  const { fake, take } = sampling();
  fake.faults.set('uptime', 'ENOENT');
  startBrowser(fake);
  expect(take().sample.processes).toHaveLength(3);
});

test('close gives every descriptor back', () => {
  const { fake, sampler, take } = sampling();
  startBrowser(fake);
  take();
  expect(fake.openCount).toBeGreaterThan(7);
  sampler.close();
  expect(fake.openCount).toBe(0);
});

// Case 107: descriptors and rows here; its memory over an hour is a matter of bench/.
test('case 107: 600 ticks of 60 processes leave nothing behind', () => {
  const { fake, take } = sampling();
  startBrowser(fake);
  for (let pid = 13; pid < 70; pid++) startChromium(fake, 'renderer', { pid, parentPid: 11 });
  take();
  const openCount = fake.openCount;
  for (let tick = 0; tick < 600; tick++) {
    // One ends and another one starts at each tick.
    const pid = 13 + (tick % 57);
    startChromium(fake, 'renderer', { pid, parentPid: 11, startTicks: 300_000 + tick });
    const { sample, ended } = take();
    expect(ended).toHaveLength(1);
    expect(sample.browser.processCount).toBe(60);
  }
  expect(fake.openCount).toBe(openCount);
});
