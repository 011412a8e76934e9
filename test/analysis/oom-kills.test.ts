import { expect, test } from 'vitest';
import { analyse } from '../../src/analysis/session-report.ts';
import type { OomKill } from '../../src/model/event.ts';
import type { ProcessReading } from '../../src/model/sample.ts';
import { serviceCrashNote } from '../../src/model/service-crash.ts';
import { fakeRecording } from '../support/fake-recording.ts';
import { fakeOomKill, fakeProcess, fakeSample, startUnixMs } from '../support/fake-sample.ts';

const kib = 1024;
const at = (second: number) => startUnixMs + second * 1000;

/** Ten seconds, one sample each; a process is given with the last second that saw it. */
function killsOf(lives: readonly (readonly [ProcessReading, number])[], ...kills: OomKill[]) {
  const samples = Array.from({ length: 10 }, (_, second) =>
    fakeSample({
      second,
      cgroup: { path: '/session' },
      processes: lives.filter(([, last]) => second <= last).map(([process]) => process),
    }),
  );
  return analyse(fakeRecording({ samples, events: kills }));
}

const renderer = fakeProcess({ pid: 4018, role: 'renderer', rssBytes: 685_000 * kib });

test('a kill finds its process by pid, name and end', () => {
  const kill = fakeOomKill({
    pid: 4018,
    comm: 'chromium',
    timeUnixMs: at(5.2),
    rssBytes: 702_000 * kib,
    cgroup: '/session',
    cgroupLimitBytes: 800_000 * kib,
  });
  const { oomKills } = killsOf([[renderer, 5]], kill);
  expect(oomKills).toEqual([
    {
      timeUnixMs: at(5.2),
      pid: 4018,
      comm: 'chromium',
      role: 'renderer',
      rssBytes: 702_000 * kib,
      scope: 'cgroup',
      cgroup: '/session',
      evidence: ['kmsg:1200'],
      attribution: 'pid',
      inSession: true,
      process: { pid: 4018, startTicks: 40_180 },
      limitBytes: 800_000 * kib,
      oomGroup: null,
      context: 'full',
    },
  ]);
});

test('one that only telemetry told is of this session, also of a process that nobody saw', () => {
  const told = { kmsgSequence: null, kernelMs: null, context: 'telemetry' } as const;
  const seen = fakeOomKill({ ...told, pid: 4018, comm: 'chromium', timeUnixMs: at(5.2) });
  const unseen = fakeOomKill({ ...told, pid: 9, comm: 'dd', timeUnixMs: at(8) });
  const report = killsOf([[renderer, 5]], seen, unseen);
  expect(report.oomKills).toMatchObject([
    { pid: 4018, attribution: 'pid', inSession: true, evidence: ['telemetry:system_oom_kill'] },
    { pid: 9, attribution: 'telemetry', inSession: true, process: null },
  ]);
  expect(report.deaths).toMatchObject([
    { pid: 4018, verdict: 'kernel_oom', certainty: 'recorded' },
  ]);
  expect(report.verdict).toMatchObject({
    kind: 'kernel_oom',
    evidence: expect.arrayContaining([
      'telemetry:system_oom_kill: kill of a renderer process (pid 4018), scope cgroup',
      'telemetry:system_oom_kill: kill of dd (kernel pid 9), scope cgroup',
    ]),
  });
});

test('what telemetry says of a crashed service is evidence beside the death', () => {
  const browser = fakeProcess({ pid: 31, role: 'browser', browserPid: 31 });
  const events = [
    {
      kind: 'process_exit',
      timeUnixMs: at(6),
      pid: 31,
      startTicks: 310,
      role: 'browser',
      exitCode: null,
      signal: null,
      source: 'vanished',
    } as const,
    serviceCrashNote({ service: 'chromium', phase: 'running', pid: 31 }, at(6.2)),
  ];
  const child = fakeProcess({ pid: 32, role: 'renderer', browserPid: 31 });
  const samples = Array.from({ length: 10 }, (_, second) =>
    fakeSample({ second, processes: second < 6 ? [browser, child] : [] }),
  );
  const { deaths } = analyse(fakeRecording({ samples, events }));
  expect(deaths).toMatchObject([
    {
      pid: 31,
      evidence: expect.arrayContaining([
        "the session's telemetry: service chromium crashed (running), pid 31",
      ]),
    },
  ]);
});

test.each([
  ['kill_line_only', null, 'of which the log has its kill line only (the kernel prints ten'],
  ['summary_line_only', null, 'of which the log has its summary line only'],
  ['full', '/session', 'with all of its cgroup /session'],
] as const)('%s, group %s: the evidence says so', (context, oomGroup, words) => {
  const kill = fakeOomKill({ pid: 4018, comm: 'chromium', timeUnixMs: at(5.2), context, oomGroup });
  const { verdict } = killsOf([[renderer, 5]], { ...kill, cgroup: '/session' });
  expect(verdict.evidence[0]).toContain(words);
});

test.each<[string, ProcessReading, number, number]>([
  ['lives on', renderer, 9, 5.2],
  ['has another name', fakeProcess({ pid: 4018, role: 'other', comm: 'node' }), 5, 5.2],
  ['had ended long before', renderer, 0, 8],
])('never a process that %s', (_, process, lastSecond, killSecond) => {
  const kill = fakeOomKill({ pid: 4018, comm: 'chromium', timeUnixMs: at(killSecond) });
  expect(killsOf([[process, lastSecond]], kill).oomKills[0]).toMatchObject({
    role: null,
    process: null,
    attribution: 'none',
  });
});

test('the one of two processes with the same pid that lived at the kill', () => {
  const earlier = fakeProcess({ pid: 4018, startTicks: 1, role: 'gpu' });
  const kill = fakeOomKill({ pid: 4018, comm: 'chromium', timeUnixMs: at(9.1) });
  const samples = [
    ...Array.from({ length: 3 }, (_, second) => fakeSample({ second, processes: [earlier] })),
    ...Array.from({ length: 7 }, (_, n) => fakeSample({ second: n + 30, processes: [renderer] })),
    fakeSample({ second: 37 }),
  ];
  const { oomKills } = analyse(
    fakeRecording({ samples, events: [{ ...kill, timeUnixMs: at(36.5) }] }),
  );
  expect(oomKills[0]).toMatchObject({ role: 'renderer', process: { startTicks: 40_180 } });
});

test('a zombie is dead though it is still listed', () => {
  const zombie = fakeProcess({ pid: 4018, role: 'renderer', state: 'Z' });
  const kill = fakeOomKill({ pid: 4018, comm: 'chromium', timeUnixMs: at(5.2) });
  expect(killsOf([[zombie, 9]], kill).oomKills[0]?.attribution).toBe('pid');
});

test('killed after the last sample: nobody saw it gone, and it is not refuted', () => {
  const kill = fakeOomKill({ pid: 4018, comm: 'chromium', timeUnixMs: at(9.4) });
  expect(killsOf([[renderer, 9]], kill).oomKills[0]?.attribution).toBe('pid');
});

test('without a time the end alone must do', () => {
  const kill = fakeOomKill({ pid: 4018, comm: 'chromium' });
  expect(killsOf([[renderer, 5]], kill).oomKills[0]?.attribution).toBe('pid');
  expect(killsOf([[renderer, 9]], kill).oomKills[0]?.attribution).toBe('none');
});

test('a kill in the very cgroup of the session is its own, also of a process never sampled', () => {
  const kill = fakeOomKill({
    pid: 77,
    comm: 'stress',
    timeUnixMs: at(5.2),
    cgroup: '/session',
  });
  expect(killsOf([], kill).oomKills[0]).toMatchObject({ attribution: 'cgroup', process: null });
});

test.each([
  ['cgroup', '/other-service', false],
  ['cgroup', '/session', true],
  ['cgroup', '/session/child', false],
  ['machine', null, true],
] as const)('a service killed in scope %s of %s is of this session: %s', (scope, cgroup, is) => {
  const service = fakeProcess({ pid: 77, role: 'other', comm: 'postgres' });
  const kill = fakeOomKill({ pid: 77, comm: 'postgres', timeUnixMs: at(5.2), scope, cgroup });
  const report = killsOf([[service, 5]], kill);
  expect(report.oomKills[0]).toMatchObject({ attribution: 'pid', role: 'other', inSession: is });
  expect(report.deaths).toHaveLength(is ? 1 : 0);
  expect(report.verdict.kind === 'kernel_oom').toBe(is);
});

test('kills of before the recording are listed apart', () => {
  const kill = fakeOomKill({ pid: 4018, comm: 'chromium', timeUnixMs: at(-60), beforeStart: true });
  const report = killsOf([[renderer, 5]], kill);
  expect(report.oomKills).toEqual([]);
  expect(report.oomKillsBeforeStart).toMatchObject([{ pid: 4018, evidence: ['kmsg:1200'] }]);
  expect(report.oomCounts.recorded).toBe(0);
  expect(report.verdict.kind).not.toBe('kernel_oom');
});

// Case 058, its log and its processes: pid 12 is a renderer that ended between two samples 10 s
// apart, pid 966 an unrelated node that lives on; the log names pid 966, which is the host's.
function hostPidCase(killSecond: number) {
  const chrome = fakeProcess({
    pid: 12,
    role: 'renderer',
    comm: 'chrome',
    rssBytes: 478_000 * kib,
  });
  const node = fakeProcess({ pid: 966, role: 'other', comm: 'node', rssBytes: 60_000 * kib });
  const kill = fakeOomKill({
    pid: 966,
    comm: 'chrome',
    cgroup: '/docker/b7c0',
    rssBytes: (450_000 + 28_000 + 2_000) * kib,
    timeUnixMs: at(killSecond),
  });
  const samples = [
    fakeSample({ second: 0, intervalMs: 10_000, processes: [chrome, node] }),
    fakeSample({ second: 10, intervalMs: 10_000, processes: [node] }),
  ];
  return analyse(fakeRecording({ samples, events: [kill], facts: { intervalMs: 10_000 } }));
}

test('058: a host’s pid is not attached to the local process of that number', () => {
  // In the case's own log the kill is 402 s after the renderer went: not the same event.
  const { oomKills, deaths, verdict } = hostPidCase(412);
  expect(oomKills[0]).toMatchObject({ attribution: 'none', process: null, role: null });
  expect(deaths).toEqual([]);
  expect(verdict.evidence.join('\n')).toContain('kernel pid 966');
  expect(verdict.evidence.join('\n')).toContain('may belong to another container');
});

test('058: in the interval in which a renderer of that name and size went, it is that one', () => {
  const { oomKills, deaths } = hostPidCase(5);
  expect(oomKills[0]).toMatchObject({ pid: 966, attribution: 'inferred', process: { pid: 12 } });
  expect(deaths).toMatchObject([{ pid: 12, verdict: 'kernel_oom', certainty: 'inferred' }]);
});

test.each<[string, ProcessReading[]]>([
  ['of another size', [fakeProcess({ pid: 12, role: 'renderer', rssBytes: 300_000 * kib })]],
  ['that is not Chromium’s', [fakeProcess({ pid: 12, role: 'other', rssBytes: 480_000 * kib })]],
  [
    'of two that both fit',
    [12, 13].map((pid) => fakeProcess({ pid, role: 'renderer', rssBytes: 480_000 * kib })),
  ],
])('without its pid, never a process %s', (_, processes) => {
  const kill = fakeOomKill({
    pid: 966,
    comm: 'chromium',
    timeUnixMs: at(5.2),
    rssBytes: 480_000 * kib,
  });
  const gone = processes.map((process) => [{ ...process, comm: 'chromium' }, 5] as const);
  expect(killsOf(gone, kill).oomKills[0]?.attribution).toBe('none');
});

// As it was on a machine of 170 MiB: one reading took 22 s, and the kill fell into it.
test.each([
  ['while the reading lasted that misses it', 22_000, 'pid'],
  ['long after that reading', 900, 'none'],
])('killed %s', (_, readMs, attribution) => {
  const second = (of: number, parts: { readMs: number; processes: ProcessReading[] }) =>
    fakeSample({
      second: of,
      cgroup: { path: '/session' },
      collector: { readMs: parts.readMs },
      processes: parts.processes,
    });
  const samples = [
    second(0, { readMs: 5, processes: [renderer] }),
    second(1, { readMs: 5, processes: [renderer] }),
    second(2, { readMs, processes: [] }),
    second(25, { readMs: 5, processes: [] }),
  ];
  const kill = fakeOomKill({ pid: 4018, comm: 'chromium', timeUnixMs: at(23.8) });
  const { oomKills } = analyse(fakeRecording({ samples, events: [kill] }));
  expect(oomKills).toMatchObject([{ attribution }]);
});

// As Linux 6.1 tells it (test/fixtures/kernel-6.1): three died, and its counter went up by four.
test('a group kill whose first victim is counted twice leaves none without a record', () => {
  const group = { taskCgroup: '/session', triggerPid: 4018, cgroupUsageBytes: 40 * 2 ** 20 };
  const killed = (pid: number, oomGroup: string | null) =>
    fakeOomKill({
      ...group,
      comm: 'chromium',
      pid,
      oomGroup,
      cgroup: '/session',
      timeUnixMs: at(5.2),
    });
  const kills = [killed(4018, null), killed(4019, '/session'), killed(4020, '/session')];
  const counted = (count: number) => ({
    kind: 'oom_counter' as const,
    timeUnixMs: at(6),
    counter: 'machine' as const,
    count,
  });
  const countsOf = (count: number) => {
    const samples = Array.from({ length: 10 }, (_, second) =>
      fakeSample({ second, cgroup: { path: '/session' }, activity: { oomKillCount: 0 } }),
    );
    return analyse(fakeRecording({ samples, events: [...kills, counted(count)] })).oomCounts;
  };
  expect(countsOf(4)).toMatchObject({ machine: 4, recorded: 3, withoutRecord: 0 });
  expect(countsOf(5)).toMatchObject({ machine: 5, recorded: 3, withoutRecord: 1 });
});
