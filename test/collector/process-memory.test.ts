import { describe, expect, test } from 'vitest';
import { placeProcesses } from '../../src/collector/chromium/browser-tree.ts';
import { readMemory } from '../../src/collector/process-memory.ts';
import { ProcessTable } from '../../src/collector/process-table.ts';
import { PssBudget } from '../../src/collector/pss-budget.ts';
import { startChromium } from '../support/chromium-processes.ts';
import { FakeProc } from '../support/fake-proc.ts';

const units = { clockTicksPerSecond: 100, pageSizeBytes: 4096 };

class Ticks {
  readonly fake = new FakeProc();
  readonly budget = new PssBudget({ cpuShare: 0.01, maxAgeMs: 60_000 });
  nowMs = 1_000_000;
  /** What reading one smaps_rollup takes on the clock. */
  rollupTakesMs = 1;
  readonly #table = new ProcessTable(this.fake.procFs, { descriptorLimit: 100 });
  #tick = 0;

  /** Gives the pids whose PSS was read. */
  next(stepMs = 1_000): number[] {
    this.nowMs += stepMs;
    const at = { nowTicks: this.nowMs / 10, ticksPerSecond: 100 };
    this.#table.update({ tick: this.#tick++, ...at });
    placeProcesses(this.#table.processes, { rootPid: null, ...at });
    let elapsedMs = 0;
    const clock = {
      monotonicMs: this.nowMs,
      cpuMs: () => {
        elapsedMs += this.rollupTakesMs;
        return this.nowMs + elapsedMs;
      },
    };
    const read = readMemory(this.#table.awake, this.budget, {
      clock,
      units,
      isStalling: false,
    });
    return [...read].map((process) => process.pid);
  }

  process(pid: number) {
    const process = this.#table.processes.get(pid);
    if (process === undefined) throw new Error(`there is no process ${pid}`);
    return process;
  }
}

describe('resident memory', () => {
  test('the browser’s from statm, the others’ from stat', () => {
    const ticks = new Ticks();
    startChromium(ticks.fake, 'browser', { pid: 10, residentPages: 51_377, sharedPages: 43_000 });
    ticks.fake.start(20, { residentPages: 100 });
    ticks.next();
    expect(ticks.process(10)).toMatchObject({
      rssBytes: 51_377 * 4096,
      anonBytes: 8_377 * 4096,
    });
    expect(ticks.process(20)).toMatchObject({ rssBytes: 100 * 4096, anonBytes: null });
    expect(ticks.fake.readCounts.get('20/statm')).toBeUndefined();
    expect(ticks.fake.readCounts.get('20/smaps_rollup')).toBeUndefined();
  });

  test('a zombie has none, and the old figures do not stay', () => {
    const ticks = new Ticks();
    startChromium(ticks.fake, 'browser', { pid: 10 });
    startChromium(ticks.fake, 'renderer', { pid: 12, parentPid: 10 });
    ticks.next();
    expect(ticks.process(12).rssBytes).toBe(5_000 * 4096);
    ticks.fake.becomeZombie(12);
    ticks.next();
    expect(ticks.process(12)).toMatchObject({ rssBytes: null, anonBytes: null });
  });

  test('gone between stat and statm: unknown', () => {
    const ticks = new Ticks();
    startChromium(ticks.fake, 'browser', { pid: 10, faults: { statm: { read: 'ESRCH' } } });
    ticks.next();
    expect(ticks.process(10)).toMatchObject({ rssBytes: null, anonBytes: null, lastPss: null });
  });
});

describe('status', () => {
  test('is read at once, then every 5 s of what runs, those that joined together apart', () => {
    const ticks = new Ticks();
    startChromium(ticks.fake, 'browser', { pid: 10 });
    for (let pid = 11; pid < 20; pid++) startChromium(ticks.fake, 'gpu', { pid, parentPid: 10 });
    const readsOfTick: number[] = [];
    for (let tick = 0; tick < 21; tick++) {
      for (let pid = 10; pid < 20; pid++) ticks.fake.change(pid, { utimeTicks: tick });
      ticks.fake.readCounts.clear();
      ticks.next();
      const names = [...ticks.fake.readCounts.keys()];
      readsOfTick.push(names.filter((name) => name.endsWith('/status')).length);
    }
    expect(readsOfTick[0]).toBe(10);
    // Ten processes, each once in five ticks: two in each.
    expect(readsOfTick.slice(5)).toEqual(new Array(16).fill(2));
  });

  test.each([
    ['ran', { utimeTicks: 1 }],
    ['grew, and has not been seen to run', { residentPages: 5_001 }],
  ])('of a process that stands still it is read again only once it %s', (_, change) => {
    const ticks = new Ticks();
    startChromium(ticks.fake, 'browser', { pid: 10, residentPages: 5_000, peakRssKb: 30_000 });
    for (let tick = 0; tick < 30; tick++) ticks.next();
    expect(ticks.fake.readCounts.get('10/status')).toBe(1);
    ticks.fake.change(10, { ...change, peakRssKb: 40_000 });
    for (let tick = 0; tick < 30; tick++) ticks.next();
    expect(ticks.fake.readCounts.get('10/status')).toBe(2);
    expect(ticks.process(10).status?.peakRssBytes).toBe(40_000 * 1024);
  });

  test('and at its pace the facts of the browser’s processes, not of others', () => {
    const ticks = new Ticks();
    startChromium(ticks.fake, 'browser', { pid: 10, oomScoreAdj: 200, descriptors: 40 });
    ticks.fake.start(20);
    for (let tick = 0; tick < 21; tick++) ticks.next();
    expect(ticks.process(10).facts).toMatchObject({ oomScoreAdj: 200, descriptorCount: 40 });
    // After 0, 5, 10, 15 and 20 s.
    expect(ticks.fake.readCounts.get('10/io')).toBe(5);
    expect(ticks.process(20).facts).toBeNull();
    expect([...ticks.fake.readCounts.keys()].filter((name) => name.startsWith('20/'))).toEqual([
      '20/stat',
      '20/cmdline',
    ]);
  });

  test('what could not be read is carried on', () => {
    const ticks = new Ticks();
    startChromium(ticks.fake, 'browser', { pid: 10, shmemKb: 300, peakRssKb: 5_000 });
    ticks.next();
    ticks.fake.change(10, { faults: { status: 'EMFILE' } });
    for (let tick = 0; tick < 6; tick++) ticks.next();
    expect(ticks.process(10).status).toEqual({
      shmemBytes: 300 * 1024,
      peakRssBytes: 5_000 * 1024,
      swapBytes: 0,
    });
  });
});

describe('PSS', () => {
  test('of every new process of the browser, with the anonymous memory of that moment', () => {
    const ticks = new Ticks();
    startChromium(ticks.fake, 'browser', { pid: 10, pssKb: 90_000 });
    startChromium(ticks.fake, 'renderer', { pid: 12, parentPid: 10 });
    expect(ticks.next().sort()).toEqual([10, 12]);
    expect(ticks.process(10).lastPss).toEqual({
      pssBytes: 90_000 * 1024,
      pssAnonBytes: 1_000 * 1024,
      pssShmemBytes: 10 * 1024,
      swapBytes: 0,
      anonBytes: 3_000 * 4096,
      monotonicMs: ticks.nowMs,
    });
    expect(ticks.next()).toEqual([]);
  });

  test('denied or gone: tried again after a minute, the last reading stays', () => {
    const ticks = new Ticks();
    startChromium(ticks.fake, 'browser', { pid: 10, faults: { smaps_rollup: 'EACCES' } });
    expect(ticks.next()).toEqual([]);
    expect(ticks.process(10).lastPss).toBeNull();
    ticks.fake.change(10, { faults: {} });
    for (let tick = 0; tick < 59; tick++) expect(ticks.next()).toEqual([]);
    expect(ticks.next()).toEqual([10]);
  });

  test('what it costs on the clock is paid from the budget', () => {
    const ticks = new Ticks();
    ticks.rollupTakesMs = 200;
    startChromium(ticks.fake, 'browser', { pid: 10 });
    expect(ticks.next()).toEqual([10]);
    // 60 ms were saved, 200 spent: 140 ms at 10 ms a second.
    startChromium(ticks.fake, 'renderer', { pid: 12, parentPid: 10 });
    for (let tick = 0; tick < 14; tick++) expect(ticks.next()).toEqual([]);
    expect(ticks.next()).toEqual([12]);
  });
});
