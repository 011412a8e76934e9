import { describe, expect, test } from 'vitest';
import { type Point, SessionPoints } from '../../../src/exporter/otlp/session-points.ts';
import type { Recording } from '../../../src/model/recording.ts';
import type { Series } from '../../../src/model/series.ts';
import { fakeRecording } from '../../support/fake-recording.ts';
import { fakeProcess, fakeSample, mib, startUnixMs } from '../../support/fake-sample.ts';

const identity = {
  'session.id': '3f1f3a52-8a35-4d5f-9d3a-000000000001',
  'headroom.tier': '1GiB',
  'headroom.provider': 'local',
};

test('every point says whose it is, and has the time of its tick', () => {
  const points = allPoints(recordingOf(3));
  expect(points.length).toBeGreaterThan(60);
  for (const point of points) expect(point.series.attributes).toMatchObject(identity);
  expect(new Set(points.map((point) => point.timeUnixMs))).toEqual(
    new Set([startUnixMs, startUnixMs + 1000, startUnixMs + 2000]),
  );
});

test.each([
  ['system.memory.limit', {}, [1024 * mib, 1024 * mib, 1024 * mib]],
  ['system.memory.usage', { 'system.memory.state': 'used' }, [424 * mib, 434 * mib, 444 * mib]],
  ['system.cpu.time', { 'cpu.mode': 'user' }, [0, 0.5, 1]],
  ['headroom.memory.peak', {}, [500 * mib, 510 * mib, 520 * mib]],
  ['headroom.oom.kills', { 'headroom.oom.scope': 'machine' }, [0, 1, 2]],
  [
    'headroom.browser.memory.rss',
    { 'headroom.process.role': 'renderer' },
    [100 * mib, 110 * mib, 120 * mib],
  ],
  ['headroom.browser.cpu.time', { 'headroom.process.role': 'renderer' }, [0, 0.25, 0.5]],
  ['headroom.oom.victims', { 'headroom.process.role': 'renderer' }, [0, 0, 0]],
  ['headroom.collector.lateness', {}, [0.002, 0.002, 0.002]],
])('%s %o', (name, attributes, values) => {
  const points = allPoints(recordingOf(3)).filter(
    ({ series }) =>
      series.metric.name === name &&
      Object.entries(attributes).every(([key, value]) => series.attributes[key] === value),
  );
  expect(points.map((point) => point.value)).toEqual(values);
  for (const point of points) expect(point.startUnixMs).toBe(startUnixMs);
});

test('what this machine did not tell is not there', () => {
  const [points = []] = new SessionPoints(recordingOf(1).facts).pointsOf(recordingOf(1), [
    ...recordingOf(1).ticks(),
  ]);
  const names = points.map(({ series }) => series.metric.name);
  expect(names).toContain('headroom.oom.kills');
  expect(names).not.toContain('headroom.pressure.stall.time');
  expect(names).not.toContain('container.memory.usage');
});

test('one series has one value at one time', () => {
  const keys = allPoints(recordingOf(5)).map((point) =>
    JSON.stringify([point.series.metric.name, point.series.attributes, point.timeUnixMs]),
  );
  expect(new Set(keys).size).toBe(keys.length);
});

test('a kill between the first and the second tick is seen as an increase after a resume', () => {
  const recording = recordingOf(3);
  const [first, ...rest] = [...recording.ticks()];
  const points = new SessionPoints(recording.facts);
  points.skip(recording, first === undefined ? [] : [first]);
  const kills = points
    .pointsOf(recording, rest)
    .flat()
    .filter(({ series }) => series.metric.name === 'headroom.oom.kills');
  expect(kills.map((point) => point.value)).toEqual([1, 2]);
});

describe('percentiles', () => {
  const series: Series[] = [
    { scope: 'session', metric: 'working_set' },
    { scope: 'renderer', metric: 'rss' },
  ];
  // 14:00:00 to 14:02:09, one tick each second, the working set growing from 500 MiB by 10 MiB.
  const recording: Recording = { ...recordingOf(130), series: () => series };
  const all = [
    ...new SessionPoints(recording.facts).pointsOf(recording, [...recording.ticks()]).flat(),
    ...closing(recording),
  ];
  const rollups = all.filter(({ series }) => series.metric.name.startsWith('headroom.rollup.'));

  test('of every closed minute, at its end; of the rest and the session, when it has ended', () => {
    const ofMaximum = rollups.filter(
      ({ series }) =>
        series.metric.name === 'headroom.rollup.memory.working_set' &&
        series.attributes['headroom.rollup.stat'] === 'max',
    );
    const endUnixMs = startUnixMs + 129_000;
    expect(
      ofMaximum.map((point) => [
        point.series.attributes['headroom.rollup.window'],
        point.timeUnixMs,
        point.value,
      ]),
    ).toEqual([
      ['1m', startUnixMs + 60_000, (500 + 59 * 10) * mib],
      ['1m', startUnixMs + 120_000, (500 + 119 * 10) * mib],
      ['1m', endUnixMs, (500 + 129 * 10) * mib],
      ['session', endUnixMs, (500 + 129 * 10) * mib],
    ]);
  });

  test('p50, p90, p95, p99, the maximum and the mean, by nearest rank', () => {
    const minute = rollups.filter(
      (point) =>
        point.series.metric.name === 'headroom.rollup.memory.working_set' &&
        point.timeUnixMs === startUnixMs + 60_000,
    );
    const stats = minute.map(({ series, value }) => [
      series.attributes['headroom.rollup.stat'],
      Number(value) / mib,
    ]);
    // Ranks 30, 54, 57 and 60 of sixty samples.
    expect(Object.fromEntries(stats)).toEqual({
      p50: 500 + 29 * 10,
      p90: 500 + 53 * 10,
      p95: 500 + 56 * 10,
      p99: 500 + 59 * 10,
      max: 500 + 59 * 10,
      mean: 500 + 29.5 * 10,
    });
  });

  test('of roles by role', () => {
    const roles = rollups.filter(
      ({ series }) => series.metric.name === 'headroom.rollup.browser.memory.rss',
    );
    expect(roles).toHaveLength(6 * 4);
    for (const { series } of roles)
      expect(series.attributes['headroom.process.role']).toBe('renderer');
  });
});

/** One tick a second: memory, a renderer that grows, a kill each second. */
function recordingOf(seconds: number): Recording {
  const samples = Array.from({ length: seconds }, (_, second) =>
    fakeSample({
      second,
      machine: {
        totalBytes: 1024 * mib,
        availableBytes: (600 - 10 * second) * mib,
        freeBytes: (524 - 10 * second) * mib,
        inactiveFileBytes: 0,
      },
      activity: { cpuUserMs: 70_000 + 500 * second, oomKillCount: 7 + second },
      collector: { latenessMs: 2 },
      processes: [
        fakeProcess({
          pid: 110,
          role: 'renderer',
          rssBytes: (100 + 10 * second) * mib,
          anonBytes: 50 * mib,
          cpuMs: 4000 + 250 * second,
        }),
      ],
    }),
  );
  return fakeRecording({ samples });
}

function allPoints(recording: Recording): Point[] {
  return new SessionPoints(recording.facts).pointsOf(recording, [...recording.ticks()]).flat();
}

function closing(recording: Recording): Point[] {
  const points = new SessionPoints(recording.facts);
  points.skip(recording, [...recording.ticks()]);
  return points.closingPoints(recording);
}
