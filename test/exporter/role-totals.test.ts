import { expect, test } from 'vitest';
import { BrowserRoles } from '../../src/exporter/role-totals.ts';
import type { RecordingEvent } from '../../src/model/event.ts';
import type { Recording } from '../../src/model/recording.ts';
import type { ProcessReading } from '../../src/model/sample.ts';
import { fakeRecording } from '../support/fake-recording.ts';
import { fakeOomKill, fakeProcess, fakeSample, mib, startUnixMs } from '../support/fake-sample.ts';

test('adds up the living processes of a role, and leaves out what is not the browser', () => {
  const recording = recordingOf([
    [renderer(110, 100, 40), renderer(120, 300, 200), browser(100, 180, 60), node(50, 900)],
  ]);
  const [snapshot] = new BrowserRoles().totalsAt(recording, ticksOf(recording));
  expect([...(snapshot?.keys() ?? [])].sort()).toEqual(['browser', 'renderer']);
  expect(snapshot?.get('renderer')).toEqual({
    processCount: 2,
    rssBytes: 400 * mib,
    anonBytes: 240 * mib,
    swapBytes: null,
    pssBytes: null,
    largestRssBytes: 300 * mib,
    cpuMs: 0,
    oomVictimCount: 0,
  });
});

test('a row holds until the next one of the same process', () => {
  const recording = recordingOf([
    [renderer(110, 100, 40), renderer(120, 10, 5)],
    [renderer(110, 100, 40), renderer(120, 10, 5)],
    [renderer(110, 150, 90), renderer(120, 10, 5)],
  ]);
  const sparse: Recording = {
    ...recording,
    processSamples: (range) =>
      [...recording.processSamples(range)]
        .filter((row) => row.timeUnixMs !== startUnixMs + 1000)
        .filter((row) => row.process === 1 || row.timeUnixMs === startUnixMs)
        .values(),
  };
  const roles = new BrowserRoles();
  const [first, second, third] = ticksOf(recording);
  const rssOf = (ticks: (typeof first)[]) =>
    roles
      .totalsAt(
        sparse,
        ticks.flatMap((tick) => tick ?? []),
      )
      .map((snapshot) => snapshot.get('renderer')?.rssBytes);
  expect(rssOf([first, second])).toEqual([110 * mib, 110 * mib]);
  expect(rssOf([third])).toEqual([160 * mib]);
});

test('PSS moves with anonymous memory between two readings', () => {
  const recording = recordingOf([
    [renderer(110, 100, 40, { pssBytes: 70 * mib })],
    [renderer(110, 130, 60)],
    [renderer(110, 130, 60, { pssBytes: 95 * mib })],
  ]);
  expect(figures(recording, 'renderer', 'pssBytes')).toEqual([70 * mib, 90 * mib, 95 * mib]);
});

test('PSS of a role is unknown while one of its processes was never read', () => {
  const recording = recordingOf([
    [renderer(110, 100, 40, { pssBytes: 70 * mib }), renderer(120, 50, 20)],
  ]);
  expect(figures(recording, 'renderer', 'pssBytes')).toEqual([null]);
});

test('a role whose processes are gone stays, with nothing but the CPU time they spent', () => {
  const recording = recordingOf([
    [renderer(110, 100, 40, { cpuMs: 1000 }), browser(100, 180, 60)],
    [renderer(110, 100, 40, { cpuMs: 1250 }), browser(100, 180, 60)],
    [browser(100, 180, 60)],
  ]);
  expect(figures(recording, 'renderer', 'processCount')).toEqual([1, 1, 0]);
  expect(figures(recording, 'renderer', 'rssBytes')).toEqual([100 * mib, 100 * mib, 0]);
  expect(figures(recording, 'renderer', 'cpuMs')).toEqual([0, 250, 250]);
});

test('a pid that is used again is another process, and CPU time never falls', () => {
  const recording = recordingOf([
    [renderer(110, 100, 40, { cpuMs: 5000 })],
    [renderer(110, 100, 40, { cpuMs: 5100 })],
    [renderer(110, 20, 10, { cpuMs: 30, startTicks: 99_999 })],
    [renderer(110, 20, 10, { cpuMs: 90, startTicks: 99_999 })],
  ]);
  expect(figures(recording, 'renderer', 'cpuMs')).toEqual([0, 100, 100, 160]);
});

test('a zombie is no process of the browser any more', () => {
  const recording = recordingOf([
    [renderer(110, 100, 40), renderer(120, 0, 0, { state: 'Z', rssBytes: null, anonBytes: null })],
  ]);
  expect(figures(recording, 'renderer', 'processCount')).toEqual([1]);
  expect(figures(recording, 'renderer', 'rssBytes')).toEqual([100 * mib]);
});

test('victims of the kernel are counted by role, from 0, each once', () => {
  const kill = (parts: Partial<Parameters<typeof fakeOomKill>[0]>) =>
    fakeOomKill({
      pid: 110,
      comm: 'chromium',
      timeUnixMs: startUnixMs + 1500,
      ...parts,
    });
  const recording = recordingOf(
    [
      [renderer(110, 100, 40), browser(100, 180, 60), node(50, 1)],
      [renderer(110, 100, 40), browser(100, 180, 60), node(50, 1)],
      [browser(100, 180, 60)],
      [browser(100, 180, 60)],
    ],
    [
      kill({ kmsgSequence: 1 }),
      kill({ kmsgSequence: 2, pid: 50, comm: 'node' }),
      kill({ kmsgSequence: 3, pid: 4711 }),
      kill({ kmsgSequence: 4, beforeStart: true }),
      kill({ kmsgSequence: 5, timeUnixMs: null }),
    ],
  );
  expect(figures(recording, 'renderer', 'oomVictimCount')).toEqual([0, 0, 1, 1]);
  expect(figures(recording, 'browser', 'oomVictimCount')).toEqual([0, 0, 0, 0]);
});

test('the same in one stretch as in many', () => {
  const recording = recordingOf(
    Array.from({ length: 12 }, (_, second) => [
      browser(100, 180 + second, 60),
      ...(second % 4 < 2
        ? [renderer(200 + second - (second % 4), 50, 20, { cpuMs: 10 * second })]
        : []),
    ]),
  );
  const ticks = ticksOf(recording);
  const whole = new BrowserRoles().totalsAt(recording, ticks);
  const roles = new BrowserRoles();
  const parts = ticks.flatMap((tick) => roles.totalsAt(recording, [tick]));
  expect(parts).toEqual(whole);
});

type Reading = Partial<ProcessReading>;

function renderer(
  pid: number,
  rssMib: number,
  anonMib: number,
  parts: Reading = {},
): ProcessReading {
  return fakeProcess({
    pid,
    role: 'renderer',
    rssBytes: rssMib * mib,
    anonBytes: anonMib * mib,
    ...parts,
  });
}

function browser(pid: number, rssMib: number, anonMib: number): ProcessReading {
  return { ...renderer(pid, rssMib, anonMib), role: 'browser' };
}

function node(pid: number, rssMib: number): ProcessReading {
  return fakeProcess({ pid, role: 'other', rssBytes: rssMib * mib });
}

function recordingOf(
  seconds: readonly (readonly ProcessReading[])[],
  events: readonly RecordingEvent[] = [],
): Recording {
  const samples = seconds.map((processes, second) => fakeSample({ second, processes }));
  return fakeRecording({ samples, events });
}

function ticksOf(recording: Recording) {
  return [...recording.ticks()];
}

function figures(
  recording: Recording,
  role: 'renderer' | 'browser',
  field: 'pssBytes' | 'processCount' | 'rssBytes' | 'cpuMs' | 'oomVictimCount',
) {
  return new BrowserRoles()
    .totalsAt(recording, ticksOf(recording))
    .map((snapshot) => snapshot.get(role)?.[field]);
}
