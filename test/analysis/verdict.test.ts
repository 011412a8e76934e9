import fs from 'node:fs';
import { expect, test } from 'vitest';
import { analyse } from '../../src/analysis/session-report.ts';
import type { RecordingEvent } from '../../src/model/event.ts';
import type { ProcessRole } from '../../src/model/process-role.ts';
import { renderText } from '../../src/report/text.ts';
import { fakeRecording } from '../support/fake-recording.ts';
import {
  fakeMachineFacts,
  fakeOomKill,
  fakeProcess,
  fakeSample,
  mib,
  startUnixMs,
} from '../support/fake-sample.ts';

const kib = 1024;

function readCase(name: string): string {
  return fs.readFileSync(new URL(`../fixtures/cases/${name}`, import.meta.url), 'utf8');
}

function caseLines<Row>(name: string): Row[] {
  return readCase(name)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Row);
}

const browser = fakeProcess({ pid: 100, role: 'browser', rssBytes: 200 * mib });

test('099: a full page cache is healthy, with 62 % headroom', () => {
  const name = '099-full-page-cache-is-healthy';
  const rows = caseLines<{
    boot: number;
    mem_total_kb: number;
    mem_free_kb: number;
    mem_available_kb: number;
  }>(`${name}/samples.jsonl`);
  const samples = rows.map((row) =>
    fakeSample({
      second: row.boot,
      intervalMs: 10_000,
      machine: {
        totalBytes: row.mem_total_kb * kib,
        freeBytes: row.mem_free_kb * kib,
        availableBytes: row.mem_available_kb * kib,
      },
      pressure: { memorySomeMs: 0, memoryFullMs: 0 },
      processes: [browser],
    }),
  );
  const { verdict } = analyse(fakeRecording({ samples, facts: { intervalMs: 10_000 } }));
  const expected = JSON.parse(readCase(`${name}/expected.json`)) as { verdict: string };
  expect(verdict.kind).toBe(expected.verdict);
  expect(verdict.summary).toContain('62 %');
  expect(verdict.advice).toEqual(['The present size of 979 MiB fits this session.']);
});

interface MeasuredSample {
  boot: number;
  cg_usage: number;
  cg_limit: number;
  cg_stat: { total_inactive_file: number };
  procs: {
    pid: number;
    start: number;
    comm: string;
    type: string;
    rss_kb: number;
    pss_kb: number;
  }[];
}

test('097: the headline is the working set at its limit, not the sum of RSS', () => {
  const measured = JSON.parse(
    readCase('097-rss-sum-is-three-times-the-truth/sample.json'),
  ) as MeasuredSample;
  const sample = fakeSample({
    second: 0,
    machine: { totalBytes: 24_576 * mib, availableBytes: 20_000 * mib },
    cgroup: {
      version: 1,
      limitBytes: measured.cg_limit,
      chargedBytes: measured.cg_usage,
      inactiveFileBytes: measured.cg_stat.total_inactive_file,
    },
    processes: measured.procs.map((process) =>
      fakeProcess({
        pid: process.pid,
        startTicks: process.start,
        comm: process.comm,
        role: (process.type === 'gpu-process' ? 'gpu' : process.type) as ProcessRole,
        rssBytes: process.rss_kb * kib,
        pssBytes: process.pss_kb * kib,
      }),
    ),
  });
  const report = analyse(fakeRecording({ samples: [sample] }));
  // 419430400 − 2211840
  expect(report.memory.workingSetBytes.max).toBe(417_218_560);
  expect(report.browser.rssSumBytes.max).toBe(1_194_456 * kib);
  expect(report.browser.pssBytes.max).toBe(630_399 * kib);
  expect(report.verdict.kind).toBe('pressure');
  expect(report.verdict.summary).toContain('of 400 MiB');
  expect(JSON.stringify(report.verdict)).not.toContain('1.14 GiB');
  // Case 052 is the same sample: 11 processes in these roles.
  expect(report.roles.map(({ role, processesMax }) => [role, processesMax])).toEqual([
    ['browser', 1],
    ['renderer', 3],
    ['gpu', 1],
    ['utility', 2],
    ['zygote', 2],
    ['crashpad', 2],
  ]);
  expect(report.browser.processesMax).toBe(11);
});

interface CaseProcess {
  pid: number;
  start: number;
  ppid?: number;
  type?: string;
  comm?: string;
  rss_kb?: number;
  state?: string;
}

function caseProcesses(rows: readonly CaseProcess[], browserPid: number) {
  return rows.map((row) =>
    fakeProcess({
      pid: row.pid,
      startTicks: row.start,
      parentPid: row.ppid ?? 1,
      comm: row.comm ?? 'chromium',
      role: (row.type ?? 'renderer') as ProcessRole,
      browserPid,
      state: row.state ?? 'S',
      rssBytes: row.rss_kb === undefined ? null : row.rss_kb * kib,
    }),
  );
}

test('054: zombies are told, with their parent and one hint, and are no memory', () => {
  const samples = caseLines<{ boot: number; procs: CaseProcess[] }>(
    '054-zombies-pile-up/samples.jsonl',
  ).map(({ boot, procs }) =>
    fakeSample({
      second: boot,
      intervalMs: 10_000,
      machine: { availableBytes: 512 * mib },
      processes: caseProcesses(procs, 10),
    }),
  );
  const report = analyse(fakeRecording({ samples, facts: { intervalMs: 10_000 } }));
  expect(report.browser.zombiesMax).toBe(15);
  expect(report.roles.find(({ role }) => role === 'renderer')?.processesMax).toBe(2);
  expect(report.browser.rssSumBytes).toMatchObject({ p50: 381_000 * kib, max: 381_000 * kib });
  expect(report.verdict.kind).toBe('healthy');
  expect(report.verdict.evidence).toContain('15 zombie processes not waited for by pid 1');
  expect(report.verdict.advice.filter((line) => line.includes('init'))).toHaveLength(1);
});

test('056: a renderer that ended with memory to spare is no kernel OOM', () => {
  const name = '056-v8-heap-oom-is-not-kernel-oom';
  const samples = caseLines<{
    boot: number;
    mem_available_kb: number;
    mem_total_kb: number;
    procs: CaseProcess[];
  }>(`${name}/samples.jsonl`).map((row) =>
    fakeSample({
      second: row.boot,
      intervalMs: 10_000,
      machine: { totalBytes: row.mem_total_kb * kib, availableBytes: row.mem_available_kb * kib },
      activity: { oomKillCount: 0 },
      processes: caseProcesses(row.procs, 800),
    }),
  );
  const report = analyse(fakeRecording({ samples, facts: { intervalMs: 10_000 } }));
  const expected = JSON.parse(readCase(`${name}/expected.json`)) as {
    kernel_oom_kills: number;
    renderer_ended_without_oom: number;
  };
  expect(report.oomKills).toHaveLength(expected.kernel_oom_kills);
  expect(report.processes.filter(({ role, exit }) => role === 'renderer' && exit)).toHaveLength(
    expected.renderer_ended_without_oom,
  );
  expect(report.verdict.kind).toBe('healthy');
  expect(report.verdict.summary).toContain('70 %');
  expect(report.verdict.evidence.join('\n')).toContain('1 renderer ended with no OOM kill');
});

function jump(counter: 'machine' | 'cgroup', count: number): RecordingEvent {
  return { kind: 'oom_counter', timeUnixMs: startUnixMs + 20_000, counter, count };
}

test('065: the counter says more than the log, and both are shown', () => {
  const expected = JSON.parse(readCase('065-counter-says-more-than-the-log/expected.json')) as {
    detailed: number;
    unexplained: number;
  };
  // The log's one kill, and vmstat 9 → 12, memory.events 0 → 2.
  const kill = fakeOomKill({
    pid: 4018,
    comm: 'chrome',
    timeUnixMs: startUnixMs + 15_000,
    rssBytes: 685_000 * kib,
  });
  const samples = [10, 20].map((second) =>
    fakeSample({
      second,
      intervalMs: 10_000,
      activity: { oomKillCount: second === 10 ? 9 : 12 },
      cgroup: { oomKillCount: second === 10 ? 0 : 2 },
    }),
  );
  const report = analyse(
    fakeRecording({ samples, events: [kill, jump('machine', 3), jump('cgroup', 2)] }),
  );
  expect(report.oomCounts).toEqual({
    machine: 3,
    cgroup: 2,
    cgroupOutside: 0,
    recorded: expected.detailed,
    withoutRecord: expected.unexplained,
  });
  expect(report.verdict.evidence).toContain(
    '2 more OOM kills on this kernel without a record (counter)',
  );
  expect(report.verdict.evidence).toContain(
    "2 OOM kills in this session's memory cgroup (counter)",
  );
  expect(report.verdict.kind).toBe('kernel_oom');
});

test('kills on this kernel that the cgroup’s counter does not have are not this session’s', () => {
  const sample = fakeSample({
    second: 0,
    machine: { availableBytes: 512 * mib },
    activity: { oomKillCount: 3 },
    cgroup: { oomKillCount: 0 },
    processes: [browser],
  });
  const { verdict } = analyse(fakeRecording({ samples: [sample], events: [jump('machine', 3)] }));
  expect(verdict.kind).toBe('healthy');
  expect(verdict.evidence).toContain('3 OOM kills on this kernel without a record (counter)');
});

test('and without such a counter it is not known', () => {
  const sample = fakeSample({
    second: 0,
    machine: { availableBytes: 512 * mib },
    activity: { oomKillCount: 3 },
    processes: [browser],
  });
  const { verdict } = analyse(fakeRecording({ samples: [sample], events: [jump('machine', 3)] }));
  expect(verdict.kind).toBe('unknown');
  expect(verdict.summary).toContain('3 OOM kills');
});

test('101: a session that met its limit says nothing of how much more it needs', () => {
  const victim = fakeProcess({ pid: 110, role: 'renderer', rssBytes: 600 * mib });
  const samples = Array.from({ length: 10 }, (_, second) =>
    fakeSample({
      second,
      machine: { totalBytes: 1024 * mib, freeBytes: 22 * mib, availableBytes: 22 * mib },
      processes: second < 8 ? [browser, victim] : [browser],
    }),
  );
  const kill = fakeOomKill({
    pid: 110,
    comm: 'chromium',
    timeUnixMs: startUnixMs + 7_500,
    scope: 'machine',
    rssBytes: 610 * mib,
  });
  const { verdict } = analyse(fakeRecording({ samples, events: [kill] }));
  expect(verdict.kind).toBe('kernel_oom');
  expect(verdict.summary).toBe(
    "The kernel's OOM killer ended a renderer process (pid 110, 610 MiB resident) at 2026-11-29T14:00:07Z: the machine was out of memory.",
  );
  expect(verdict.evidence[0]).toContain('kmsg:1200');
  expect(verdict.advice[0]).toContain('more than 1.00 GiB');
  expect(verdict.advice[0]).toContain('cannot be seen');
  expect(verdict.advice.join('\n')).not.toContain('fits this session');
});

test('the victim that grew is named as the place to look first', () => {
  const samples = Array.from({ length: 101 }, (_, second) =>
    fakeSample({
      second,
      processes: [
        browser,
        ...(second < 100
          ? [fakeProcess({ pid: 110, role: 'renderer', anonBytes: (50 + 2 * second) * mib })]
          : []),
      ],
    }),
  );
  const kill = fakeOomKill({
    pid: 110,
    comm: 'chromium',
    timeUnixMs: startUnixMs + 99_500,
    cgroupLimitBytes: 400 * mib,
  });
  const { verdict } = analyse(fakeRecording({ samples, events: [kill] }));
  // 2 MiB a second.
  expect(verdict.advice[1]).toMatch(/pid 110 \(renderer\).* grew by 1(19|20|21) MiB a minute/);
});

test('032: a whole cgroup that was killed is one sentence', () => {
  const tabs = [110, 111, 112].map((pid) => fakeProcess({ pid, role: 'renderer' }));
  const all = [browser, ...tabs];
  const samples = Array.from({ length: 4 }, (_, second) =>
    fakeSample({ second, processes: second < 2 ? all : [] }),
  );
  const kills = all.map(({ pid }, index) =>
    fakeOomKill({
      pid,
      comm: 'chromium',
      timeUnixMs: startUnixMs + 1_500,
      kmsgSequence: 1200 + index,
      oomGroup: '/session',
    }),
  );
  const { deaths, verdict } = analyse(fakeRecording({ samples, events: kills }));
  expect(deaths).toHaveLength(4);
  expect(verdict.summary).toContain('4 processes of this session (1 × browser, 3 × renderer)');
});

function pressureVerdict(availableMib: number, fullMsPerSecond: number) {
  const samples = Array.from({ length: 15 }, (_, second) =>
    fakeSample({
      second,
      machine: { availableBytes: availableMib * mib },
      pressure: { memoryFullMs: fullMsPerSecond * second },
      processes: [browser],
    }),
  );
  return analyse(fakeRecording({ samples })).verdict;
}

test.each([
  [103, 0, 'healthy'],
  [102, 0, 'pressure'],
  [500, 49, 'healthy'],
  [500, 50, 'pressure'],
  [50, 300, 'pressure'],
])('%d MiB of 1 GiB left and %d ms of stall a second: %s', (availableMib, stallMs, kind) => {
  expect(pressureVerdict(availableMib, stallMs).kind).toBe(kind);
});

test('under pressure, an end that nobody recorded is told beside it and not blamed on it', () => {
  const samples = Array.from({ length: 20 }, (_, second) =>
    fakeSample({
      second,
      machine: { availableBytes: 20 * mib },
      activity: { oomKillCount: 0 },
      processes: second < 15 ? [browser] : [],
    }),
  );
  const { verdict } = analyse(fakeRecording({ samples }));
  expect(verdict.kind).toBe('pressure');
  expect(verdict.summary).toContain('; the browser process (pid 100) ended');
  expect(verdict.summary).toContain('how is not recorded');
});

const calm = fakeSample({
  second: 0,
  machine: { availableBytes: 512 * mib },
  processes: [browser],
});

test('a recording without a browser says so', () => {
  const { verdict } = analyse(
    fakeRecording({ samples: [{ ...calm, processes: [] }].map(recount) }),
  );
  expect(verdict.kind).toBe('healthy');
  expect(verdict.summary).toContain(
    'no browser process was seen, the figures are those of the machine',
  );
  expect(verdict.advice.join('\n')).not.toContain('fits');
});

test('and in a cgroup with a limit the figures are those of the cgroup', () => {
  const cgroup = { version: 1, limitBytes: 400 * mib, chargedBytes: 100 * mib } as const;
  const samples = [fakeSample({ second: 0, cgroup: { ...cgroup, inactiveFileBytes: 0 } })];
  const { memory, verdict } = analyse(fakeRecording({ samples: samples.map(recount) }));
  expect(memory.limitSource).toBe('cgroup_v1');
  expect(verdict.summary).toContain(
    '(300 MiB of 400 MiB); no browser process was seen, the figures are those of the memory cgroup',
  );
});

function recount(sample: typeof calm): typeof calm {
  return { ...sample, browser: { ...sample.browser, processCount: 0 } };
}

test('a live recording says that it is still running', () => {
  const report = analyse(
    fakeRecording({ samples: [calm], isLive: true, facts: { endReason: null, endedUnixMs: null } }),
  );
  expect(report.session).toMatchObject({ endReason: null, isLive: true });
  expect(report.verdict.kind).toBe('healthy');
  expect(report.verdict.summary).toContain('the recording is still running');
});

test.each([['lost'], [null]] as const)(
  'end reason %s without a writer: broken off',
  (endReason) => {
    const report = analyse(
      fakeRecording({ samples: [calm], facts: { endReason, endedUnixMs: null } }),
    );
    expect(report.session.endReason).toBe('lost');
    expect(report.verdict.kind).toBe('unknown');
    expect(report.verdict.summary).toContain('the recorder ended without a word');
  },
);

test('a copy of a recording that went on is judged as far as it goes, and not as broken off', () => {
  const facts = { endReason: 'copied', endedUnixMs: null } as const;
  const report = analyse(fakeRecording({ samples: [calm], facts }));
  expect(report.session).toMatchObject({ endReason: 'copied', isLive: false });
  expect(report.verdict.kind).toBe('healthy');
  expect(report.verdict.summary).toContain('the recording went on when this copy was made');
  expect(renderText(report)).toMatch(/still recorded when this\s+copy was made/);
});

test('no sample in the range: unknown', () => {
  const report = analyse(fakeRecording({ samples: [calm] }), { fromUnixMs: startUnixMs + 1000 });
  expect(report.coverage.samples).toBe(0);
  expect(report.verdict.kind).toBe('unknown');
});

test('a portable recording does not claim to know of OOM kills', () => {
  const facts = { machine: fakeMachineFacts({ sampleSource: 'portable' }) };
  const report = analyse(fakeRecording({ samples: [calm], facts }));
  expect(report.isKernelLogRead).toBe(false);
  expect(report.oomCounts.machine).toBeNull();
  expect(report.verdict.summary).toContain('OOM kills, PSS and pressure are not known');
});
