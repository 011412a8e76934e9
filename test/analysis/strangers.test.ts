import { expect, test } from 'vitest';
import { analyse } from '../../src/analysis/session-report.ts';
import type { OomKill, ProcessExit, RecordingEvent } from '../../src/model/event.ts';
import type { CgroupMemory, ProcessReading } from '../../src/model/sample.ts';
import { renderText } from '../../src/report/text.ts';
import { fakeRecording } from '../support/fake-recording.ts';
import { fakeOomKill, fakeProcess, fakeSample, mib, startUnixMs } from '../support/fake-sample.ts';

const at = (second: number) => startUnixMs + second * 1000;
const gib = 1024 * mib;

const ours = fakeProcess({ pid: 100, role: 'browser' });
const ourTab = fakeProcess({ pid: 110, role: 'renderer' });
const command = fakeProcess({ pid: 50, role: 'other', comm: 'node' });
// Chromium of somebody else: it has a role, and belongs to no browser of this session.
const foreign = fakeProcess({ pid: 200, role: 'browser', browserPid: null });
const foreignTab = fakeProcess({ pid: 210, role: 'renderer', browserPid: null });

const limited = { path: '/job', limitBytes: 2 * gib, chargedBytes: gib, inactiveFileBytes: 0 };
const unlimited = { path: '/job' };

interface Scene {
  /** There all the time. */
  staying?: readonly ProcessReading[];
  /** Last seen at second 15 of 20. */
  going?: readonly ProcessReading[];
  cgroup?: Partial<CgroupMemory>;
  events?: readonly RecordingEvent[];
}

function reportOf({ staying = [], going = [], cgroup, events = [] }: Scene) {
  const samples = Array.from({ length: 20 }, (_, second) =>
    fakeSample({
      second,
      machine: { totalBytes: 8 * gib, availableBytes: 6 * gib },
      activity: { oomKillCount: 0 },
      ...(cgroup === undefined ? {} : { cgroup }),
      processes: [...staying, ...(second <= 15 ? going : [])],
    }),
  );
  return analyse(fakeRecording({ samples, events, facts: { endReason: 'command_exited' } }));
}

function ended(process: ProcessReading, source: ProcessExit['source'], signal: string | null) {
  const { pid, startTicks, role } = process;
  const exitCode = signal === null ? 0 : null;
  const event: ProcessExit = {
    kind: 'process_exit',
    timeUnixMs: at(15.5),
    pid,
    startTicks,
    role,
    exitCode,
    signal,
    source,
  };
  return event;
}

const killOf = (process: ProcessReading, parts: Partial<OomKill>) =>
  fakeOomKill({ pid: process.pid, comm: process.comm, timeUnixMs: at(15.5), ...parts });

test.each(['SIGSEGV', 'SIGKILL', 'SIGTRAP'])(
  'somebody else’s browser that ends by %s is no death of this session',
  (signal) => {
    const report = reportOf({
      staying: [command, ours, ourTab],
      going: [foreign, foreignTab],
      events: [foreign, foreignTab].map((process) => ended(process, 'connector', signal)),
    });
    expect(report.deaths).toEqual([]);
    expect(report.verdict.kind).toBe('healthy');
    expect(report.verdict.evidence.join('\n')).not.toContain('renderer');
    expect(report.browser.processesMax).toBe(2);
    expect(report.roles.map(({ role, processesMax }) => [role, processesMax])).toEqual([
      ['browser', 1],
      ['renderer', 1],
    ]);
  },
);

test('and neither is one that vanishes', () => {
  const report = reportOf({ staying: [ours], going: [foreign, foreignTab] });
  expect(report.deaths).toEqual([]);
  expect(report.verdict.kind).toBe('healthy');
});

test('the session’s own browser beside it is', () => {
  const report = reportOf({
    staying: [foreign],
    going: [ours],
    events: [ended(ours, 'connector', 'SIGSEGV')],
  });
  expect(report.deaths).toMatchObject([{ pid: 100, verdict: 'crash' }]);
});

const sized = [
  { ...ours, rssBytes: 200 * mib },
  { ...ourTab, rssBytes: 90 * mib },
  { ...command, rssBytes: 60 * mib },
  { ...foreign, rssBytes: 847 * mib },
  { ...foreignTab, rssBytes: 300 * mib },
  fakeProcess({ pid: 77, role: 'other', comm: 'qemu', rssBytes: 500 * mib }),
];
const hostCgroup = '/headroom-host-11111111-aaaa-4bbb-8ccc-000000000001';

test.each<[string, Partial<CgroupMemory>, (readonly [number, boolean | null])[]]>([
  [
    'by size, whoever they are',
    unlimited,
    [
      [77, null],
      [100, true],
      [110, true],
      [50, true],
    ],
  ],
  [
    'on a machine of several sessions those of this one first',
    { path: hostCgroup },
    [
      [100, true],
      [110, true],
      [50, true],
      [77, null],
    ],
  ],
])('the processes of other browsers come last, the others %s', (_, cgroup, first) => {
  const events = [ended(command, 'parent', null)];
  const { processes } = reportOf({ cgroup, staying: sized, events });
  expect(processes.map(({ pid, inSession }) => [pid, inSession])).toEqual([
    ...first,
    [200, false],
    [210, false],
  ]);
});

test('and are marked in the list of the biggest', () => {
  const text = renderText(reportOf({ staying: sized }));
  expect(text).toMatch(/^ +† chromium +200 .*847 MiB/m);
  expect(text).toMatch(/^ +† chromium +210 .*300 MiB/m);
  expect(text).toMatch(/^ +qemu +77 /m);
  expect(text).toContain("Last (†): 2 processes of browsers that are not the session's.");
});

test('where every browser is the session’s, a tab without one is nobody else’s', () => {
  const staying = sized.filter(({ pid }) => pid !== foreign.pid);
  const report = reportOf({ staying });
  expect(report.processes.map(({ pid, inSession }) => [pid, inSession])).toEqual([
    [77, null],
    [210, null],
    [100, true],
    [110, true],
    [50, null],
  ]);
  expect(renderText(report)).not.toContain('†');
});

test('whose a crash handler is, its role does not tell', () => {
  const handler = fakeProcess({ pid: 220, role: 'crashpad', browserPid: null });
  const { processes } = reportOf({ staying: [ours, foreign, handler] });
  expect(processes.find(({ pid }) => pid === 220)?.inSession).toBeNull();
});

test('zombies of somebody else are not told, and no init is advised for them', () => {
  const zombies = Array.from({ length: 30 }, (_, n) =>
    fakeProcess({ pid: 300 + n, role: 'renderer', browserPid: null, state: 'Z' }),
  );
  const { verdict, browser } = reportOf({ staying: [ours, ...zombies] });
  expect(browser.zombiesMax).toBe(0);
  expect(verdict.evidence.join('\n')).not.toContain('zombie');
  expect(verdict.advice.join('\n')).not.toContain('init');
});

test('30 zombies of the session are, once each', () => {
  const zombies = Array.from({ length: 30 }, (_, n) =>
    fakeProcess({ pid: 300 + n, role: 'renderer', state: 'Z' }),
  );
  const { verdict } = reportOf({ staying: [ours, ...zombies] });
  expect(verdict.evidence).toContain('30 zombie processes not waited for by pid 1');
  expect(verdict.advice.join('\n')).toContain('init');
});

test.each<[string, Scene]>([
  [
    'somebody else’s tab, by another limit',
    {
      staying: [ours],
      going: [foreignTab],
      events: [killOf(foreignTab, { cgroup: '/other' })],
    },
  ],
  [
    'somebody else’s tab, with a limit and no browser',
    { cgroup: limited, going: [foreignTab], events: [killOf(foreignTab, { scope: 'machine' })] },
  ],
  [
    'nobody seen here, by another limit',
    { cgroup: unlimited, staying: [ours], events: [killOf(foreignTab, { cgroup: '/other' })] },
  ],
  [
    'nobody seen here, by a limit on a machine whose root is the session’s cgroup',
    { cgroup: { path: '/' }, staying: [ours], events: [killOf(foreignTab, { cgroup: '/other' })] },
  ],
  [
    'nobody seen here, by a limit below that of the session',
    { cgroup: limited, staying: [ours], events: [killOf(foreignTab, { cgroup: '/job/x' })] },
  ],
])('an OOM kill of %s is outside', (_, scene) => {
  const report = reportOf(scene);
  expect(report.oomKills).toMatchObject([{ inSession: false }]);
  expect(report.deaths).toEqual([]);
  expect(report.verdict.kind).toBe('healthy');
  expect(report.verdict.evidence[0]).toBe('1 OOM kill on this machine outside of this session');
  expect(renderText(report)).toContain(
    'OOM kills\n  1 OOM kill on this machine outside of this session',
  );
});

test.each<[string, Scene]>([
  [
    'its tab, whatever limit was hit',
    {
      cgroup: unlimited,
      staying: [ours],
      going: [ourTab],
      events: [killOf(ourTab, { cgroup: '/other' })],
    },
  ],
  [
    'its command',
    {
      staying: [ours],
      going: [command],
      events: [killOf(command, { scope: 'machine' }), ended(command, 'parent', 'SIGKILL')],
    },
  ],
  [
    'anything by its own limit',
    { cgroup: limited, staying: [ours], events: [killOf(foreignTab, { cgroup: '/job' })] },
  ],
  [
    'anything in its limited cgroup, by a limit above',
    {
      cgroup: { ...limited, path: '/a/job' },
      staying: [ours],
      events: [killOf(foreignTab, { cgroup: '/a', taskCgroup: '/a/job' })],
    },
  ],
  [
    'somebody else’s tab, for want of memory on the machine',
    { staying: [ours], going: [foreignTab], events: [killOf(foreignTab, { scope: 'machine' })] },
  ],
  [
    'a service, for want of memory on the machine, beside a browser',
    {
      staying: [ours],
      going: [fakeProcess({ pid: 77, role: 'other', comm: 'postgres' })],
      events: [fakeOomKill({ pid: 77, comm: 'postgres', timeUnixMs: at(15.5), scope: 'machine' })],
    },
  ],
  [
    'anything on a machine without a browser and a limit',
    { going: [foreignTab], events: [killOf(foreignTab, { scope: 'machine' })] },
  ],
])('an OOM kill of %s is the session’s', (_, scene) => {
  const report = reportOf(scene);
  expect(report.oomKills).toMatchObject([{ inSession: true }]);
  expect(report.verdict.kind).toBe('kernel_oom');
});

test('the counter of the session’s cgroup has the kills of limits below it, which are others’', () => {
  const cgroup = { ...limited, oomKillCount: 1 };
  const jump: RecordingEvent = {
    kind: 'oom_counter',
    timeUnixMs: at(16),
    counter: 'cgroup',
    count: 1,
  };
  const kill = killOf(foreignTab, { cgroup: '/job/x' });
  const report = reportOf({ cgroup, staying: [ours], going: [foreignTab], events: [kill, jump] });
  expect(report.oomCounts).toMatchObject({ cgroup: 1, cgroupOutside: 1 });
  expect(report.verdict.kind).toBe('healthy');
  expect(reportOf({ cgroup, staying: [ours], events: [jump] }).verdict.kind).toBe('kernel_oom');
});

test('SIGKILL in the moment of somebody else’s OOM kill is not the kernel’s', () => {
  const report = reportOf({
    cgroup: unlimited,
    going: [ours],
    events: [killOf(foreignTab, { cgroup: '/other' }), ended(ours, 'connector', 'SIGKILL')],
  });
  expect(report.deaths).toMatchObject([{ pid: 100, verdict: 'killed' }]);
});

test('the host’s path of the session’s cgroup, in a container, is not somebody else’s limit', () => {
  const report = reportOf({
    cgroup: unlimited,
    staying: [ours],
    events: [killOf(foreignTab, { cgroup: '/docker/b7c0/job' })],
  });
  expect(report.oomKills).toMatchObject([{ attribution: 'none', inSession: false }]);
  expect(report.verdict.kind).toBe('unknown');
});

const neighbour = fakeProcess({ pid: 300, role: 'browser', browserPid: 300, cgroup: '/other' });
const neighbourTab = fakeProcess({ pid: 310, role: 'renderer', browserPid: 300, cgroup: '/other' });
const killOfNeighbour = killOf(neighbourTab, {
  scope: 'cgroup',
  cgroup: '/other',
  taskCgroup: '/other',
  cgroupLimitBytes: 350 * mib,
});

test('a browser under another limit is a neighbour of one under the limit of the session', () => {
  const report = reportOf({
    cgroup: limited,
    staying: [{ ...ours, cgroup: '/job/browser' }, neighbour],
    going: [neighbourTab],
    events: [killOfNeighbour],
  });
  expect(report.verdict.kind).toBe('healthy');
  expect(report.deaths).toEqual([]);
  expect(report.oomKills).toMatchObject([{ inSession: false, process: { pid: 310 } }]);
  expect(report.processes.map(({ pid, inSession }) => [pid, inSession])).toEqual([
    [100, true],
    [300, false],
    [310, false],
  ]);
});

test('and what it grows by is no growth of the session', () => {
  const samples = Array.from({ length: 91 }, (_, second) =>
    fakeSample({
      second,
      machine: { totalBytes: 8 * gib, availableBytes: 6 * gib },
      cgroup: limited,
      processes: [
        { ...ours, cgroup: '/job' },
        { ...ourTab, cgroup: '/job', anonBytes: 50 * mib },
        neighbour,
        { ...neighbourTab, anonBytes: (100 + 2 * second) * mib },
      ],
    }),
  );
  const { roles } = analyse(fakeRecording({ samples })).growth;
  const renderers = roles.filter(({ role }) => role === 'renderer');
  expect(renderers).toMatchObject([{ growth: { bytesPerMinute: 0, isLeak: false } }]);
});

test('where no browser is under the limit of the recorder, all of them are the session', () => {
  const report = reportOf({
    cgroup: limited,
    staying: [neighbour],
    going: [neighbourTab],
    events: [killOfNeighbour],
  });
  expect(report.verdict.kind).toBe('kernel_oom');
  expect(report.oomKills).toMatchObject([{ inSession: true }]);
});
