import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import os from 'node:os';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readKernelUnits } from '../../src/collector/machine-facts.ts';
import { ProcFs } from '../../src/collector/procfs/proc-fs.ts';
import { Sampler, systemClock } from '../../src/collector/sampler.ts';

// The kernel of this machine is the peer here; the figures are read a second time without our code.
const proc = new ProcFs();
let sampler: Sampler;
let sequence: number;

beforeEach(() => {
  sequence = 0;
  sampler = new Sampler({
    proc,
    units: readKernelUnits(proc),
    readCgroup: () => null,
    readCgroupPressure: () => null,
    clock: systemClock,
    rootPid: process.pid,
    descriptorLimit: 500,
  });
});

afterEach(() => sampler.close());

function take() {
  sequence++;
  return sampler.take({ sequence, intervalMs: 1_000, dueMonotonicMs: 0, missedTickCount: 0 });
}

/** The fields of our own stat from the third on, by the rule of proc_pid_stat(5). */
function ownStat(): string[] {
  const text = readFileSync(`/proc/${process.pid}/stat`, 'latin1');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

test('two samples of this machine and of this very process', () => {
  const first = take().sample;
  const second = take().sample;
  for (const sample of [first, second]) {
    expect(sample.machine.totalBytes).toBe(os.totalmem());
    const own = sample.processes.find(({ pid }) => pid === process.pid);
    expect(own).toMatchObject({
      comm: readFileSync('/proc/self/comm', 'utf8').trimEnd(),
      startTicks: Number(ownStat()[19]),
      parentPid: process.ppid,
      executable: 'node',
      browserPid: process.pid,
      role: 'other',
    });
    // Within 20 %: both look at a living process, one a moment after the other.
    expect((own?.rssBytes ?? 0) / process.memoryUsage.rss()).toBeGreaterThan(0.8);
    expect((own?.rssBytes ?? 0) / process.memoryUsage.rss()).toBeLessThan(1.2);
    expect(sample.collector.pid).toBe(process.pid);
  }
  expect(second.monotonicMs).toBeGreaterThanOrEqual(first.monotonicMs);
  expect(second.browser.processCount).toBeGreaterThanOrEqual(1);
});

test('the figures of one process agree with one another', () => {
  const own = take().sample.processes.find(({ pid }) => pid === process.pid);
  const rss = own?.rssBytes ?? 0;
  expect(own?.pssBytes).toBeGreaterThan(0);
  expect(own?.anonBytes).toBeLessThanOrEqual(rss);
  // PSS is read milliseconds after RSS.
  expect(own?.pssBytes).toBeLessThanOrEqual(rss * 1.2);
  expect(own?.peakRssBytes).toBeGreaterThanOrEqual(rss * 0.8);
  expect(own?.cpuMs).toBeGreaterThan(0);
});

test('the facts of one process are those of the kernel', () => {
  const own = take().sample.processes.find(({ pid }) => pid === process.pid);
  expect(own).toMatchObject({
    oomScoreAdj: Number(readFileSync('/proc/self/oom_score_adj', 'utf8')),
    command: expect.stringContaining(process.argv[0] ?? ''),
  });
  expect(readFileSync('/proc/self/cgroup', 'utf8')).toContain(`:${own?.cgroup}\n`);
  // Others in this process open and write meanwhile.
  const descriptors = readdirSync('/proc/self/fd').length;
  expect(Math.abs((own?.descriptorCount ?? 0) - descriptors)).toBeLessThan(5);
  const io = readFileSync('/proc/self/io', 'utf8');
  const figure = (key: string) => Number(new RegExp(`^${key}: (\\d+)$`, 'm').exec(io)?.[1]);
  expect(own?.readBytes).toBeLessThanOrEqual(figure('read_bytes'));
  expect(own?.writtenBytes).toBeLessThanOrEqual(figure('write_bytes'));
});

test('no kernel thread is a row, and every row is a pid of this machine', () => {
  const { processes } = take().sample;
  expect(processes.map(({ comm }) => comm)).not.toContain('kthreadd');
  for (const { pid, startTicks, threadCount } of processes) {
    expect(pid).toBeGreaterThan(0);
    expect(startTicks).toBeGreaterThanOrEqual(0);
    expect(threadCount).toBeGreaterThan(0);
  }
});

test('a child joins as part of the tree, and its end is noticed', async () => {
  take();
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  await once(child, 'spawn');
  const joined = take().sample.processes.find(({ pid }) => pid === child.pid);
  expect(joined).toMatchObject({ browserPid: process.pid, parentPid: process.pid });
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
  expect(take().ended).toContainEqual({
    pid: child.pid,
    startTicks: joined?.startTicks,
    role: 'other',
    browserPid: process.pid,
  });
});
