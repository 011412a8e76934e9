import { describe, expect, test } from 'vitest';
import { type Capability, readCapabilities } from '../../src/collector/capabilities.ts';
import type { SelfProtection } from '../../src/collector/self-protection.ts';
import type { Sample } from '../../src/model/sample.ts';
import { FakeProc } from '../support/fake-proc.ts';
import { type FakeSampleParts, fakeProcess, fakeSample, mib } from '../support/fake-sample.ts';

const pids = [1, 10, 11, 12, 13];

/** A machine of five processes. */
function fakeProc(): FakeProc {
  const proc = new FakeProc();
  proc.machine['self/smaps_rollup'] = 'Pss: 1 kB\n';
  for (const pid of pids) proc.start(pid);
  return proc;
}

/** What is sampled of it; these of its processes are a browser. */
function sampleOf(browserPids: readonly number[], parts: Partial<FakeSampleParts> = {}): Sample {
  const processes = pids.map((pid) => {
    const isBrowser = browserPids.includes(pid);
    return fakeProcess({
      pid,
      role: isBrowser ? 'renderer' : 'other',
      browserPid: isBrowser ? 10 : null,
    });
  });
  const machine = { totalBytes: 4096 * mib, availableBytes: 2048 * mib };
  return fakeSample({ second: 0, machine, processes, ...parts });
}

interface Machine {
  proc?: FakeProc;
  sample?: Sample;
  exitsUnavailable?: string | null;
  protection?: SelfProtection;
  kmsgPath?: string;
  isRoot?: boolean;
}

function capability(name: string, machine: Machine = {}): Capability | undefined {
  const { proc = fakeProc(), sample = sampleOf([]), exitsUnavailable = null } = machine;
  const context = {
    proc: proc.procFs,
    sample,
    exitsUnavailable,
    protection: machine.protection ?? { oomScoreAdj: null, niceness: null },
    kmsgPath: machine.kmsgPath ?? '/dev/null',
    isRoot: machine.isRoot ?? false,
  };
  return readCapabilities(context).find((found) => found.name === name);
}

describe('PSS', () => {
  test.each<[string, number[], number[], string, string]>([
    ['all of the browser', [10, 11, 12], [1, 13], 'ok', '3 of 3 processes of Chromium'],
    ['some of the browser', [10, 11, 12], [12], 'partial', '2 of 3 processes of Chromium'],
    ['none of the browser', [10, 11], [10, 11], 'no', '0 of 2 processes of Chromium'],
    ['no browser, one is out of reach', [], [1], 'ok', '4 of 5 processes (no Chromium'],
    ['no browser, most are out of reach', [], [1, 10, 11], 'partial', '2 of 5 processes (no'],
    ['no browser, all are out of reach', [], pids, 'no', '0 of 5 processes'],
  ])('%s', (_, browserPids, deniedPids, status, detail) => {
    const proc = fakeProc();
    for (const pid of deniedPids) proc.change(pid, { faults: { smaps_rollup: 'EACCES' } });
    const found = capability('PSS', { proc, sample: sampleOf(browserPids) });
    expect(found).toMatchObject({ status, detail: expect.stringContaining(detail) });
    expect(found?.consequence === null).toBe(status === 'ok');
    expect(proc.openCount).toBe(0);
  });

  test('one that ended meanwhile counts for nothing', () => {
    const proc = fakeProc();
    proc.end(12);
    const sample = sampleOf([10, 11, 12]);
    expect(capability('PSS', { proc, sample })).toMatchObject({
      status: 'ok',
      detail: 'smaps_rollup of 2 of 2 processes of Chromium can be read',
    });
    for (const pid of [10, 11]) proc.change(pid, { faults: { smaps_rollup: 'EACCES' } });
    expect(capability('PSS', { proc, sample })?.status).toBe('no');
  });

  test('a kernel without it', () => {
    const proc = fakeProc();
    delete proc.machine['self/smaps_rollup'];
    expect(capability('PSS', { proc })).toMatchObject({
      status: 'no',
      detail: 'no /fake/self/smaps_rollup',
      consequence: expect.stringContaining('Linux 4.14'),
    });
  });
});

describe('processes', () => {
  test('hidden: with hidepid=2 not even pid 1 is listed', () => {
    const proc = fakeProc();
    proc.end(1);
    expect(capability('processes', { proc })).toMatchObject({
      status: 'partial',
      detail: 'only our own are visible',
    });
  });

  test('listed and not readable: hidepid=1', () => {
    const proc = fakeProc();
    for (const pid of [1, 10]) proc.change(pid, { faults: { stat: 'EPERM' } });
    expect(capability('processes', { proc })).toMatchObject({
      status: 'partial',
      detail: '2 of 5 cannot be read',
      consequence: expect.stringContaining('hidepid'),
    });
  });
});

describe('memory cgroup and pressure', () => {
  const limited = (version: 1 | 2, oomKillCount: number | null = 0) =>
    sampleOf([], { cgroup: { version, path: '/a', limitBytes: 512 * mib, oomKillCount } });

  test.each<[string, Sample, string, string]>([
    ['none', sampleOf([]), 'partial', 'none'],
    ['a limit', limited(2), 'ok', 'version 2, /a, with a limit of 512 MiB'],
    ['no counter', limited(1, null), 'partial', 'without oom_kill'],
    [
      'no limit',
      sampleOf([], { cgroup: { version: 1, path: '/', limitBytes: null, oomKillCount: 0 } }),
      'ok',
      'version 1, /, without a limit',
    ],
  ])('%s', (_, sample, status, detail) => {
    expect(capability('memory cgroup', { sample })).toMatchObject({
      status,
      detail: expect.stringContaining(detail),
    });
  });

  test.each<[string, Sample, string]>([
    ['the machine binds', sampleOf([]), 'ok'],
    ['a cgroup of version 2 has its own', limited(2), 'ok'],
    ['a cgroup of version 1 has none', limited(1), 'partial'],
  ])('pressure: %s', (_, sample, status) => {
    expect(capability('pressure (PSI)', { sample })?.status).toBe(status);
  });

  test('pressure: a kernel without it', () => {
    const proc = fakeProc();
    delete proc.machine['pressure/io'];
    expect(capability('pressure (PSI)', { proc })).toMatchObject({
      status: 'no',
      detail: 'no /fake/pressure/io',
    });
  });
});

describe('what the kernel tells besides', () => {
  test('a log that is none, as in some containers', () => {
    expect(capability('kernel log')).toMatchObject({
      status: 'no',
      detail: '/dev/null: end of file',
      consequence: expect.stringContaining('not which process'),
    });
  });

  test('no counter of kills', () => {
    const proc = fakeProc();
    proc.machine['vmstat'] = 'pgmajfault 3\n';
    expect(capability('OOM kill counter')).toMatchObject({ status: 'ok', detail: '0 since boot' });
    expect(capability('OOM kill counter', { proc })?.status).toBe('no');
  });

  test.each([
    [null, 'ok', 'of every process'],
    ['bind: EPERM', 'no', 'bind: EPERM'],
  ])('ends of processes: %s', (exitsUnavailable, status, detail) => {
    expect(capability('process exits', { exitsUnavailable })).toMatchObject({
      status,
      detail: expect.stringContaining(detail),
    });
  });
});

describe('self-protection', () => {
  const niceness = { before: 0, after: -5 };

  test('all that is wanted', () => {
    const protection = { oomScoreAdj: { before: 0, after: -500 }, niceness };
    expect(capability('self-protection', { protection })).toEqual({
      name: 'self-protection',
      status: 'ok',
      detail: 'oom_score_adj lowered from 0 to -500, niceness lowered from 0 to -5',
      consequence: null,
    });
  });

  test('a part of it', () => {
    const protection = { oomScoreAdj: { before: 0, after: 0 }, niceness };
    expect(capability('self-protection', { protection })).toMatchObject({
      status: 'partial',
      detail: expect.stringContaining('oom_score_adj 0 (may not be lowered)'),
      consequence: expect.stringContaining('OOMScoreAdjust='),
    });
  });
});

test('a kernel without MemAvailable', () => {
  const sample = sampleOf([], { machine: { totalBytes: 4096 * mib } });
  expect(capability('machine memory')).toMatchObject({ status: 'ok' });
  expect(capability('machine memory', { sample })).toMatchObject({ status: 'partial' });
});

test.each(['PSS', 'processes', 'kernel log', 'process exits', 'self-protection'])(
  '%s: nobody who is root is told to become it',
  (name) => {
    const proc = fakeProc();
    for (const pid of pids) proc.change(pid, { faults: { smaps_rollup: 'EACCES', stat: 'EPERM' } });
    const machine = { proc, exitsUnavailable: 'bind: EPERM' };
    const asRoot = /\b[Aa]s root\b/;
    expect(capability(name, { ...machine, isRoot: false })?.consequence).toMatch(asRoot);
    expect(capability(name, { ...machine, isRoot: true })?.consequence).toMatch(/\S/);
    expect(capability(name, { ...machine, isRoot: true })?.consequence).not.toMatch(asRoot);
  },
);
