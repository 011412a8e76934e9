import { describe, expect, test } from 'vitest';
import { recordingTop } from '../../../src/analysis/top/recording-top.ts';
import { TopState } from '../../../src/analysis/top/top-state.ts';
import type { Sample } from '../../../src/model/sample.ts';
import { fakeRecording } from '../../support/fake-recording.ts';
import {
  fakeOomKill,
  fakeProcess,
  fakeSample,
  mib,
  startUnixMs,
} from '../../support/fake-sample.ts';

// A renderer that grows by 1 MiB a second and takes half a core, beside a browser that does neither.
function growingSample(second: number): Sample {
  return fakeSample({
    second,
    machine: {
      totalBytes: 1024 * mib,
      freeBytes: 424 * mib,
      inactiveFileBytes: 100 * mib,
      availableBytes: 800 * mib,
    },
    pressure: { memorySomeMs: second * 200, memoryFullMs: second * 50 },
    processes: [
      fakeProcess({
        pid: 100,
        role: 'browser',
        rssBytes: 200 * mib,
        anonBytes: 80 * mib,
        pssBytes: 120 * mib,
      }),
      fakeProcess({
        pid: 120,
        role: 'renderer',
        rssBytes: (150 + second) * mib,
        anonBytes: (50 + second) * mib,
        pssBytes: second === 0 ? 90 * mib : null,
        cpuMs: second * 500,
      }),
      ...(second < 60 ? [fakeProcess({ pid: 130, role: 'gpu', rssBytes: 70 * mib })] : []),
      fakeProcess({ pid: 140, role: 'other', state: 'Z' }),
    ],
  });
}

const samples = Array.from({ length: 121 }, (_, second) => growingSample(second));
const events = [
  fakeOomKill({ pid: 9, comm: 'old', beforeStart: true }),
  fakeOomKill({ pid: 131, comm: 'chromium', rssBytes: 10 * mib, timeUnixMs: startUnixMs + 60_000 }),
  {
    kind: 'oom_counter' as const,
    timeUnixMs: startUnixMs + 60_500,
    counter: 'machine' as const,
    count: 1,
  },
  {
    kind: 'process_exit' as const,
    timeUnixMs: startUnixMs + 60_000,
    pid: 130,
    startTicks: 1300,
    role: 'gpu' as const,
    exitCode: null,
    signal: 'SIGKILL',
    source: 'connector' as const,
  },
];

const expected = {
  timeUnixMs: startUnixMs + 120_000,
  memory: {
    limitBytes: 1024 * mib,
    limitSource: 'machine',
    // 1024 MiB less 800 available; and less 424 free and 100 of inactive file pages.
    usedBytes: 224 * mib,
    availableBytes: 800 * mib,
    workingSetBytes: 500 * mib,
  },
  // 200 and 50 ms a second.
  pressure: { memorySomeRatio: 0.2, memoryFullRatio: 0.05, cpuSomeRatio: null },
  roles: [
    { role: 'browser', processCount: 1, pssBytes: 120 * mib, growthBytesPerMinute: 0 },
    {
      role: 'renderer',
      processCount: 1,
      // 90 MiB, and 120 MiB of anonymous memory since.
      pssBytes: 210 * mib,
      rssBytes: 270 * mib,
      cpuRatio: 0.5,
      isLeak: true,
    },
  ],
  processes: [
    { pid: 120, pssBytes: 210 * mib, cpuRatio: 0.5, isLeak: true },
    { pid: 100, pssBytes: 120 * mib, cpuRatio: 0, growthBytesPerMinute: 0, isLeak: false },
  ],
  events: [
    // No process of that pid was seen, and no cgroup is told of.
    {
      words: 'OOM kill of chromium, pid 131, 10.0 MiB resident, scope cgroup, not known whose',
      isBad: false,
      inSession: null,
    },
    { words: 'gpu 130 ended by SIGKILL', isBad: true, inSession: true },
  ],
};

describe('the state of a session', () => {
  test('out of a recording', () => {
    const view = recordingTop(fakeRecording({ samples, events }));
    expect(view).toMatchObject({ source: 'fake.db', state: 'ended', ...expected });
    // 1 MiB a second, to the grid of 60 points over samples a second apart.
    expect((view?.processes[0]?.growthBytesPerMinute ?? 0) / mib).toBeCloseTo(60, 0);
  });

  test('out of samples, as they are taken', () => {
    const state = new TopState();
    samples.forEach((sample, second) => {
      state.addSample(sample, second === 60 ? events : []);
    });
    expect(state.view('local', 'live')).toMatchObject({
      source: 'local',
      state: 'live',
      ...expected,
    });
  });

  test.each<[string, string, [number, boolean | null][], string[]]>([
    [
      'last',
      '/job',
      [
        [7, null],
        [100, true],
        [200, false],
      ],
      ['renderer 110 ended with code 0'],
    ],
    [
      'last, on a machine of several sessions after the session’s own and what nobody tells of',
      '/headroom-host-11111111-aaaa-4bbb-8ccc-000000000001',
      [
        [100, true],
        [7, null],
        [200, false],
      ],
      ['renderer 110 ended with code 0'],
    ],
  ])('strangers’ browsers are %s, and their ends are not told', (_, path, processes, words) => {
    const staying = [
      fakeProcess({ pid: 7, role: 'other', comm: 'qemu', rssBytes: 500 * mib }),
      fakeProcess({ pid: 100, role: 'browser', rssBytes: 200 * mib }),
      fakeProcess({ pid: 200, role: 'browser', browserPid: null, rssBytes: 847 * mib }),
    ];
    const going = [
      fakeProcess({ pid: 110, role: 'renderer' }),
      fakeProcess({ pid: 210, role: 'renderer', browserPid: null }),
      // Whose it is nothing tells, and it may be a stranger's.
      fakeProcess({ pid: 220, role: 'crashpad', browserPid: null }),
    ];
    const ends = going.map(({ pid, startTicks, role }) => ({
      kind: 'process_exit' as const,
      timeUnixMs: startUnixMs + 500,
      pid,
      startTicks,
      role,
      exitCode: 0,
      signal: null,
      source: 'connector' as const,
    }));
    const before = fakeSample({ second: 0, cgroup: { path }, processes: [...staying, ...going] });
    const after = fakeSample({ second: 1, cgroup: { path }, processes: staying });
    const state = new TopState();
    state.addSample(before, []);
    state.addSample(after, ends);
    const stored = fakeRecording({ samples: [before, after], events: ends });
    for (const view of [state.view('local', 'live'), recordingTop(stored)]) {
      expect(view?.processes.map(({ pid, inSession }) => [pid, inSession])).toEqual(processes);
      expect(view?.events.map((event) => event.words)).toEqual(words);
    }
  });

  test('whose a kill is: the session’s own is bad, one outside and one that nothing tells of are not', () => {
    const cgroup = { path: '/job', limitBytes: 900 * mib };
    const staying = [fakeProcess({ pid: 100, role: 'browser' })];
    const going = [
      fakeProcess({ pid: 110, role: 'renderer', comm: 'chromium' }),
      fakeProcess({ pid: 300, role: 'other', comm: 'mysqld' }),
    ];
    const at = { timeUnixMs: startUnixMs + 600, rssBytes: 10 * mib };
    const kills = [
      fakeOomKill({ pid: 110, comm: 'chromium', scope: 'machine', kmsgSequence: 1, ...at }),
      // By the limit of another cgroup; its process is known here, and is none of the browser's.
      fakeOomKill({ pid: 300, comm: 'mysqld', cgroup: '/db', kmsgSequence: 2, ...at }),
      fakeOomKill({ pid: 999, comm: 'java', scope: 'machine', kmsgSequence: 3, ...at }),
    ];
    const before = fakeSample({ second: 0, cgroup, processes: [...staying, ...going] });
    const after = fakeSample({ second: 1, cgroup, processes: staying });
    const later = fakeSample({ second: 2, cgroup, processes: staying });
    const state = new TopState();
    state.addSample(before, []);
    state.addSample(after, kills);
    state.addSample(later, []);
    const stored = fakeRecording({ samples: [before, after, later], events: kills });
    for (const view of [state.view('local', 'live'), recordingTop(stored)]) {
      expect(view?.events.map(({ words, inSession, isBad }) => [words, inSession, isBad])).toEqual([
        ['OOM kill of chromium, pid 110, 10.0 MiB resident, scope machine', true, true],
        [
          'OOM kill of mysqld, pid 300, 10.0 MiB resident, scope cgroup, outside of this session',
          false,
          false,
        ],
        [
          'OOM kill of java, pid 999, 10.0 MiB resident, scope machine, not known whose',
          null,
          false,
        ],
      ]);
    }
  });

  test('a browser under another limit, and the kill of one of its tabs, are no part of the session', () => {
    const cgroup = { path: '/job', limitBytes: 900 * mib };
    const tab = fakeProcess({ pid: 310, role: 'renderer', browserPid: 300, cgroup: '/other' });
    const staying = [
      fakeProcess({ pid: 100, role: 'browser', cgroup: '/job/browser' }),
      fakeProcess({ pid: 300, role: 'browser', browserPid: 300, cgroup: '/other' }),
    ];
    const kill = fakeOomKill({
      pid: 310,
      comm: tab.comm,
      cgroup: '/other',
      timeUnixMs: startUnixMs + 600,
      rssBytes: 10 * mib,
    });
    const before = fakeSample({ second: 0, cgroup, processes: [...staying, tab] });
    const after = fakeSample({ second: 1, cgroup, processes: staying });
    const state = new TopState();
    state.addSample(before, []);
    state.addSample(after, [kill]);
    const stored = fakeRecording({ samples: [before, after], events: [kill] });
    for (const view of [state.view('local', 'live'), recordingTop(stored)]) {
      expect(view?.processes.map(({ pid, inSession }) => [pid, inSession])).toEqual([
        [100, true],
        [300, false],
      ]);
      expect(view?.roles.map(({ role, processCount }) => [role, processCount])).toEqual([
        ['browser', 1],
      ]);
      expect(view?.events.map(({ inSession, isBad }) => [inSession, isBad])).toEqual([
        [false, false],
      ]);
    }
  });

  test('growth takes a minute, a rate two samples', () => {
    const state = new TopState();
    state.addSample(growingSample(0), []);
    const unknown = { cpuRatio: null, growthBytesPerMinute: null };
    expect(state.view('local', 'live')?.processes[0]).toMatchObject({ pid: 100, ...unknown });
    expect(state.view('local', 'live')?.pressure.memorySomeRatio).toBeNull();
  });

  test('over a gap nothing is said', () => {
    const slept = { ...growingSample(121), timeUnixMs: startUnixMs + 7_321_000 };
    const state = new TopState();
    for (const sample of [...samples, slept]) state.addSample(sample, []);
    const view = state.view('local', 'live');
    expect(view?.pressure.memorySomeRatio).toBeNull();
    expect(view?.roles.map((role) => role.growthBytesPerMinute)).toEqual([null, null]);
    expect(view?.processes.map((process) => process.cpuRatio)).toEqual([null, null]);
  });

  test('nothing is shown of a recording without a sample; who was lost is said so', () => {
    expect(recordingTop(fakeRecording({ samples: [] }))).toBeNull();
    const lost = { endReason: 'lost' as const, endedUnixMs: null };
    expect(recordingTop(fakeRecording({ samples, facts: lost }))?.state).toBe('lost');
    expect(recordingTop(fakeRecording({ samples, isLive: true }))?.state).toBe('live');
  });
});
