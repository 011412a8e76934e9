import { describe, expect, test } from 'vitest';
import { placeProcesses } from '../../src/collector/chromium/browser-tree.ts';
import { ProcessTable } from '../../src/collector/process-table.ts';
import { caseBytes, caseLines } from '../support/cases.ts';
import { commandLines, startChromium } from '../support/chromium-processes.ts';
import { FakeProc } from '../support/fake-proc.ts';

/** A table over a fake /proc, one tick each second; `now` is 1,000 s after boot. */
class Ticks {
  readonly fake = new FakeProc();
  readonly table: ProcessTable;
  nowTicks = 100_000;
  #tick = 0;

  constructor(descriptorLimit = 1_000, storesCommands?: boolean) {
    this.table = new ProcessTable(this.fake.procFs, { descriptorLimit, storesCommands });
  }

  next() {
    this.#tick++;
    this.nowTicks += 100;
    const ended = this.table.update({
      tick: this.#tick,
      nowTicks: this.nowTicks,
      ticksPerSecond: 100,
    });
    placeProcesses(this.table.processes, {
      rootPid: null,
      nowTicks: this.nowTicks,
      ticksPerSecond: 100,
    });
    return ended;
  }

  role(pid: number) {
    return this.table.processes.get(pid)?.role;
  }
}

describe('joins and ends', () => {
  test('nothing at all', () => {
    const ticks = new Ticks();
    expect(ticks.next()).toEqual([]);
    expect(ticks.table.processes.size).toBe(0);
  });

  test('a process joins, is refreshed, and ends', () => {
    const ticks = new Ticks();
    ticks.fake.start(7, { utimeTicks: 5 });
    expect(ticks.next()).toEqual([]);
    expect(ticks.table.processes.get(7)).toMatchObject({
      pid: 7,
      startTicks: 70,
      parentPid: 1,
      executable: 'node',
      role: 'other',
      stat: { cpuTicks: 5 },
    });
    ticks.fake.change(7, { utimeTicks: 8, stimeTicks: 2, parentPid: 3 });
    ticks.next();
    expect(ticks.table.processes.get(7)).toMatchObject({ parentPid: 3, stat: { cpuTicks: 10 } });
    ticks.fake.end(7);
    expect(ticks.next()).toEqual([{ pid: 7, startTicks: 70, role: 'other', browserPid: null }]);
    expect(ticks.next()).toEqual([]);
    expect(ticks.fake.openCount).toBe(0);
  });

  test('a browser and its children end together, each with what it was', () => {
    const ticks = new Ticks();
    startChromium(ticks.fake, 'browser', { pid: 10 });
    startChromium(ticks.fake, 'zygote', { pid: 11, parentPid: 10 });
    startChromium(ticks.fake, 'renderer', { pid: 12, parentPid: 11 });
    ticks.next();
    for (const pid of [10, 11, 12]) ticks.fake.end(pid);
    expect(ticks.next()).toEqual([
      { pid: 10, startTicks: 100, role: 'browser', browserPid: 10 },
      { pid: 11, startTicks: 110, role: 'zygote', browserPid: 10 },
      { pid: 12, startTicks: 120, role: 'renderer', browserPid: 10 },
    ]);
  });

  test('2,000 processes, all of them replaced', () => {
    const ticks = new Ticks(500);
    for (let pid = 1; pid <= 2_000; pid++) ticks.fake.start(pid);
    ticks.next();
    expect(ticks.table.processes.size).toBe(2_000);
    expect(ticks.fake.openCount).toBe(500);
    for (let pid = 1; pid <= 2_000; pid++) ticks.fake.start(pid, { startTicks: 90_000 + pid });
    expect(ticks.next()).toHaveLength(2_000);
    expect(ticks.table.processes.size).toBe(2_000);
    expect(ticks.fake.openCount).toBe(500);
    ticks.table.close();
    expect(ticks.fake.openCount).toBe(0);
  });
});

describe('identity is pid and start time', () => {
  interface CaseSample {
    procs: { pid: number; start: number; type: 'renderer' | 'utility'; utime: number }[];
  }

  test.each([1_000, 0])('case 046: two processes, with %i descriptors to keep', (limit) => {
    const ticks = new Ticks(limit);
    const [first, second] = caseLines<CaseSample>('046-pid-reuse/samples.jsonl').map(
      (sample) => sample.procs[0],
    );
    if (first === undefined || second === undefined) throw new Error('the case has two samples');
    const kinds = { renderer: 'renderer', utility: 'audio' } as const;
    for (const { pid, start, type, utime } of [first]) {
      startChromium(ticks.fake, kinds[type], { pid, startTicks: start, utimeTicks: utime });
    }
    ticks.next();
    const { pid, start, type, utime } = second;
    startChromium(ticks.fake, kinds[type], { pid, startTicks: start, utimeTicks: utime });
    expect(ticks.next()).toEqual([
      { pid: 4120, startTicks: 50210, role: 'renderer', browserPid: null },
    ]);
    expect(ticks.table.processes.get(4120)).toMatchObject({
      startTicks: 61877,
      role: 'utility',
      stat: { cpuTicks: 3 },
      lastPss: null,
      status: null,
    });
  });

  test('nothing of the old one sticks to the new one', () => {
    const ticks = new Ticks();
    startChromium(ticks.fake, 'browser', { pid: 10 });
    startChromium(ticks.fake, 'renderer', { pid: 12, parentPid: 10 });
    ticks.next();
    ticks.fake.start(12, { startTicks: 99_000, comm: 'bash', exe: '/bin/bash' });
    ticks.next();
    expect(ticks.table.processes.get(12)).toMatchObject({
      role: 'other',
      browserPid: null,
      executable: 'bash',
    });
  });
});

describe('what cannot be read', () => {
  test('another user’s processes behind hidepid are not followed, and are no end', () => {
    const ticks = new Ticks();
    ticks.fake.start(7, { faults: { stat: 'EACCES' } });
    expect(ticks.next()).toEqual([]);
    expect(ticks.next()).toEqual([]);
    expect(ticks.table.processes.size).toBe(0);
    expect(ticks.fake.openCount).toBe(0);
  });

  test('without the right to read exe, the command line tells the program', () => {
    const ticks = new Ticks();
    startChromium(ticks.fake, 'browser', { pid: 10, faults: { exe: 'EACCES' } });
    ticks.next();
    expect(ticks.table.processes.get(10)).toMatchObject({ role: 'browser', executable: null });
  });

  test('no descriptor left: what is known lives on, what is new waits', () => {
    const ticks = new Ticks(0);
    ticks.fake.start(7, { utimeTicks: 5 });
    ticks.next();
    ticks.fake.mostOpen = 0;
    ticks.fake.start(8);
    expect(ticks.next()).toEqual([]);
    expect([...ticks.table.processes.keys()]).toEqual([7]);
    ticks.fake.mostOpen = 100;
    ticks.fake.change(7, { utimeTicks: 9 });
    expect(ticks.next()).toEqual([]);
    expect(ticks.table.processes.get(7)?.stat.cpuTicks).toBe(9);
    expect(ticks.table.processes.has(8)).toBe(true);
  });

  test('a budget that runs out is given back by those that end', () => {
    const ticks = new Ticks(2);
    for (const pid of [1, 2, 3]) ticks.fake.start(pid);
    ticks.next();
    expect(ticks.fake.openCount).toBe(2);
    ticks.fake.end(1);
    ticks.next();
    // Pid 3 is read without a kept descriptor until then, and keeps one from now on.
    ticks.next();
    expect(ticks.fake.openCount).toBe(2);
    expect(ticks.table.processes.size).toBe(2);
  });

  test('case 005: gone at the second tick, and not one descriptor lost in 1,000 ticks', () => {
    const ticks = new Ticks();
    for (const pid of [100, 101, 102]) ticks.fake.start(pid);
    ticks.next();
    ticks.fake.change(101, { faults: { stat: { read: 'ESRCH' } } });
    ticks.fake.change(102, { faults: { smaps_rollup: 'ENOENT' } });
    expect(ticks.next()).toEqual([{ pid: 101, startTicks: 1010, role: 'other', browserPid: null }]);
    expect([...ticks.table.processes.keys()]).toEqual([100, 102]);

    ticks.fake.end(101);
    const openCount = ticks.fake.openCount;
    for (let tick = 0; tick < 1_000; tick++) {
      const pid = 200 + (tick % 7);
      const fault = tick % 2 === 0 ? 'ENOENT' : { read: 'ESRCH' };
      ticks.fake.start(pid, { startTicks: tick, faults: { stat: fault } });
      ticks.next();
      ticks.fake.end(pid);
    }
    expect(ticks.fake.openCount).toBe(openCount);
  });
});

describe('kernel threads and zombies', () => {
  function startKernelThread(fake: FakeProc, pid: number) {
    const folder = '003-kthread-and-zombie-have-no-memory/kthread';
    fake.start(pid, {
      files: { stat: caseBytes(`${folder}/stat`), statm: caseBytes(`${folder}/statm`) },
      cmdline: '',
      exe: null,
    });
  }

  test('case 003: a kernel thread is no row, keeps nothing open, and is let alone', () => {
    const ticks = new Ticks();
    startKernelThread(ticks.fake, 2);
    for (let tick = 0; tick < 200; tick++) expect(ticks.next()).toEqual([]);
    expect(ticks.table.processes.size).toBe(0);
    expect(ticks.fake.openCount).toBe(0);
  });

  test.each([60, 61, 119])('pid %i is looked at again once a minute', (pid) => {
    const ticks = new Ticks();
    startKernelThread(ticks.fake, pid);
    ticks.next();
    ticks.fake.readCounts.clear();
    for (let tick = 0; tick < 600; tick++) ticks.next();
    expect(ticks.fake.readCounts.get(`${pid}/stat`)).toBe(10);
  });

  test('a process that gets the pid of a kernel thread is found within a minute', () => {
    const ticks = new Ticks();
    startKernelThread(ticks.fake, 90);
    ticks.next();
    ticks.fake.start(90, { startTicks: 100_150 });
    for (let tick = 0; tick < 60; tick++) ticks.next();
    expect(ticks.table.processes.get(90)?.startTicks).toBe(100_150);
  });

  test('and at once when the thread was seen to be gone', () => {
    const ticks = new Ticks();
    startKernelThread(ticks.fake, 90);
    ticks.next();
    ticks.fake.end(90);
    ticks.next();
    ticks.fake.start(90);
    ticks.next();
    expect(ticks.table.processes.has(90)).toBe(true);
  });

  test('case 003: a zombie keeps its identity and what it was', () => {
    const ticks = new Ticks();
    startChromium(ticks.fake, 'browser', { pid: 10 });
    startChromium(ticks.fake, 'renderer', { pid: 12, parentPid: 10 });
    ticks.next();
    ticks.fake.becomeZombie(12);
    ticks.fake.change(12, { parentPid: 1 });
    expect(ticks.next()).toEqual([]);
    expect(ticks.table.processes.get(12)).toMatchObject({
      startTicks: 120,
      role: 'renderer',
      browserPid: 10,
      executable: 'chromium',
      stat: { state: 'Z' },
    });
    ticks.fake.end(12);
    expect(ticks.next()).toEqual([{ pid: 12, startTicks: 120, role: 'renderer', browserPid: 10 }]);
  });
});

describe('the role changes while the identity stays', () => {
  const young = { startTicks: 100_000 };

  test('case 048: a zygote’s child is a renderer a moment later', () => {
    const ticks = new Ticks();
    const [first, second] = caseLines<{
      procs: { pid: number; start: number; cmdline: string }[];
    }>('048-zygote-becomes-renderer/samples.jsonl').map((sample) => sample.procs[0]);
    ticks.nowTicks = 206_970;
    startChromium(ticks.fake, 'browser', { pid: 27222 });
    startChromium(ticks.fake, 'zygote', { pid: 27272, parentPid: 27222 });
    startChromium(ticks.fake, 'zygote', {
      pid: first?.pid ?? 0,
      parentPid: 27272,
      startTicks: first?.start ?? 0,
      cmdline: first?.cmdline ?? '',
    });
    ticks.next();
    expect(ticks.role(27399)).toBe('zygote');
    // The kernel’s own moment in between (pid 27419 of startpoll.txt): nothing but NULs.
    ticks.fake.change(27399, { cmdline: '\0'.repeat(40) });
    ticks.next();
    expect(ticks.role(27399)).toBe('zygote');
    ticks.fake.change(27399, { cmdline: second?.cmdline ?? '' });
    expect(ticks.next()).toEqual([]);
    expect(ticks.table.processes.get(27399)).toMatchObject({
      role: 'renderer',
      startTicks: 206_968,
      browserPid: 27222,
    });
  });

  test('a process first seen while it renames itself belongs to its zygote', () => {
    const ticks = new Ticks();
    startChromium(ticks.fake, 'browser', { pid: 10 });
    startChromium(ticks.fake, 'zygote', { pid: 11, parentPid: 10 });
    const parts = { pid: 12, parentPid: 11, startTicks: 100_000, cmdline: '\0'.repeat(40) };
    startChromium(ticks.fake, 'renderer', parts);
    ticks.next();
    expect(ticks.table.processes.get(12)).toMatchObject({ role: 'other', browserPid: 10 });
    ticks.fake.change(12, { cmdline: commandLines.renderer });
    ticks.next();
    expect(ticks.role(12)).toBe('renderer');
  });

  test.each([
    [6, 'within its first 30 s, now and then', 'renderer'],
    [40, 'not after that', 'zygote'],
  ])('%i s old: it is read again %s', (ageSeconds, _, role) => {
    const ticks = new Ticks();
    const startTicks = ticks.nowTicks - ageSeconds * 100;
    startChromium(ticks.fake, 'zygote', { pid: 12, startTicks });
    ticks.next();
    ticks.fake.change(12, { cmdline: commandLines.renderer });
    for (let tick = 0; tick < 5; tick++) ticks.next();
    expect(ticks.role(12)).toBe(role);
  });

  test('an exec at any age is seen by the new name', () => {
    const ticks = new Ticks();
    ticks.fake.start(10, {
      comm: 'sh',
      exe: '/bin/dash',
      cmdline: '/bin/sh\0/usr/bin/chromium\0',
    });
    ticks.next();
    expect(ticks.role(10)).toBe('other');
    ticks.fake.change(10, {
      comm: 'chromium',
      exe: '/usr/lib/chromium/chromium',
      cmdline: commandLines.browser,
    });
    ticks.next();
    expect(ticks.table.processes.get(10)).toMatchObject({ role: 'browser', browserPid: 10 });
  });

  test('the network service: a copy of the browser at first', () => {
    const ticks = new Ticks();
    startChromium(ticks.fake, 'browser', { pid: 10 });
    startChromium(ticks.fake, 'browser', { pid: 13, parentPid: 10, ...young });
    ticks.next();
    expect(ticks.table.processes.get(13)).toMatchObject({ role: 'other', browserPid: 10 });
    ticks.fake.change(13, { comm: 'exe', cmdline: commandLines.network });
    ticks.next();
    expect(ticks.table.processes.get(13)).toMatchObject({ role: 'network', browserPid: 10 });
  });

  test('a copy of the browser that becomes another program is not the browser’s any more', () => {
    const ticks = new Ticks();
    startChromium(ticks.fake, 'browser', { pid: 10 });
    startChromium(ticks.fake, 'browser', { pid: 13, parentPid: 10, ...young });
    ticks.next();
    expect(ticks.table.processes.get(13)?.browserPid).toBe(10);
    ticks.fake.change(13, {
      comm: 'xdg-open',
      exe: '/usr/bin/dash',
      cmdline: '/bin/sh\0/usr/bin/xdg-open\0https://example.org\0',
    });
    ticks.next();
    expect(ticks.table.processes.get(13)).toMatchObject({ role: 'other', browserPid: null });
  });

  test('a dying process loses its command line before it is gone, not its role', () => {
    const ticks = new Ticks();
    startChromium(ticks.fake, 'browser', { pid: 10 });
    startChromium(ticks.fake, 'renderer', { pid: 12, parentPid: 10, ...young });
    ticks.next();
    ticks.fake.change(12, { cmdline: '', exe: null });
    ticks.next();
    expect(ticks.table.processes.get(12)).toMatchObject({
      role: 'renderer',
      executable: 'chromium',
    });
  });
});

describe('idle processes', () => {
  const readsOfStat = (ticks: Ticks, pid: number) => ticks.fake.readCounts.get(`${pid}/stat`) ?? 0;

  test('are read every 16th tick; of a browser’s, stat every fourth and statm at every tick', () => {
    const ticks = new Ticks();
    ticks.fake.start(7);
    ticks.fake.start(8);
    startChromium(ticks.fake, 'browser', { pid: 10 });
    for (let tick = 0; tick < 106; tick++) {
      ticks.fake.change(8, { utimeTicks: tick });
      ticks.next();
    }
    // The first one, five the same, and those at ticks 9, 25, 41, 57, 73, 89 and 105.
    expect(readsOfStat(ticks, 7)).toBe(6 + 7);
    expect(readsOfStat(ticks, 8)).toBe(106);
    // The first one, five the same, and a fourth of the other hundred.
    expect(readsOfStat(ticks, 10)).toBe(6 + 25);
    expect(ticks.fake.readCounts.get('10/statm')).toBe(105);
  });

  test('of a thousand some sixteen are read in a tick, and each within 64 ticks', () => {
    const ticks = new Ticks();
    for (let pid = 1_000; pid < 2_000; pid++) ticks.fake.start(pid);
    for (let tick = 0; tick < 8; tick++) ticks.next();
    const before = new Map(ticks.fake.readCounts);
    const readsSince = () =>
      Array.from({ length: 1_000 }, (_, at) => readsOfStat(ticks, 1_000 + at)).map(
        (count, at) => count - (before.get(`${1_000 + at}/stat`) ?? 0),
      );
    ticks.next();
    // 1000 of 64 slots: 15 or 16.
    expect(readsSince().filter((count) => count > 0).length).toBeLessThanOrEqual(16);
    for (let tick = 0; tick < 63; tick++) ticks.next();
    expect(new Set(readsSince())).toEqual(new Set([1]));
  });

  test('their end is noticed at once, their waking within sixteen ticks', () => {
    const ticks = new Ticks();
    ticks.fake.start(7);
    ticks.fake.start(8);
    for (let tick = 0; tick < 20; tick++) ticks.next();
    ticks.fake.end(8);
    expect(ticks.next().map(({ pid }) => pid)).toEqual([8]);
    ticks.fake.change(7, { utimeTicks: 50 });
    // It is asked at tick 25; from then on it is awake.
    for (let tick = 21; tick < 25; tick++) ticks.next();
    expect(ticks.table.processes.get(7)?.stat.cpuTicks).toBe(50);
    ticks.fake.change(7, { utimeTicks: 60 });
    ticks.next();
    expect(ticks.table.processes.get(7)?.stat.cpuTicks).toBe(60);
  });

  test('of a browser: more memory, its end and its death unreaped are noticed at once', () => {
    const ticks = new Ticks();
    startChromium(ticks.fake, 'browser', { pid: 10 });
    for (const pid of [11, 12, 13]) {
      startChromium(ticks.fake, 'renderer', { pid, parentPid: 10, residentPages: 1_000 });
    }
    for (let tick = 0; tick < 21; tick++) ticks.next();
    ticks.fake.change(11, { residentPages: 1_001, utimeTicks: 50 });
    ticks.fake.change(12, { state: 'Z', sizePages: 0, residentPages: 0, sharedPages: 0 });
    ticks.fake.end(13);
    expect(ticks.next().map(({ pid }) => pid)).toEqual([13]);
    expect(ticks.table.processes.get(11)).toMatchObject({
      statm: { residentPages: 1_001 },
      stat: { cpuTicks: 50 },
    });
    expect(ticks.table.processes.get(12)?.stat.state).toBe('Z');
  });
});

describe('command lines', () => {
  const young = { startTicks: 100_000 };
  const curl = { comm: 'curl', exe: '/usr/bin/curl' };

  test('of every process, without credentials', () => {
    const ticks = new Ticks();
    startChromium(ticks.fake, 'browser', { pid: 10 });
    ticks.fake.start(20, { ...curl, cmdline: 'curl\0https://joe:hunter2@example.org/?q=1\0' });
    ticks.next();
    expect(ticks.table.processes.get(10)?.command).toBe(
      '/usr/lib/chromium/chromium --headless --no-sandbox --user-data-dir=/tmp/p about:blank',
    );
    expect(ticks.table.processes.get(20)?.command).toBe('curl https://…@example.org/?…');
  });

  test('are one line of text, whatever bytes they have', () => {
    const ticks = new Ticks();
    const cmdline = Buffer.from('sh\0-c\0echo caf\u00e9\n\u001b[31m\0');
    ticks.fake.start(20, { comm: 'sh', files: { cmdline } });
    ticks.next();
    expect(ticks.table.processes.get(20)?.command).toBe('sh -c echo café\\x0a\\x1b[31m');
  });

  test('change with the program, and stay when a dying process loses them', () => {
    const ticks = new Ticks();
    startChromium(ticks.fake, 'zygote', { pid: 12, ...young });
    ticks.fake.start(20, { ...young, cmdline: '/bin/sh\0-c\0node task.js\0' });
    ticks.next();
    ticks.fake.change(12, { cmdline: commandLines.renderer });
    ticks.fake.change(20, { cmdline: '/usr/bin/node\0task.js\0' });
    ticks.next();
    for (const pid of [12, 20]) ticks.fake.change(pid, { cmdline: '' });
    ticks.next();
    expect(ticks.table.processes.get(12)?.command).toBe(
      '/usr/lib/chromium/chromium --type=renderer --no-sandbox --user-data-dir=/tmp/p --lang=en-US',
    );
    expect(ticks.table.processes.get(20)?.command).toBe('/usr/bin/node task.js');
  });

  test('none where there is none', () => {
    const ticks = new Ticks();
    ticks.fake.start(20, { cmdline: '', exe: null, state: 'Z' });
    ticks.next();
    expect(ticks.table.processes.get(20)?.command).toBeNull();
  });

  test('none at all when they are not to be recorded, and roles all the same', () => {
    const ticks = new Ticks(1_000, false);
    startChromium(ticks.fake, 'browser', { pid: 10 });
    ticks.next();
    expect(ticks.table.processes.get(10)).toMatchObject({
      role: 'browser',
      cmdline: null,
      command: null,
    });
  });
});
