import { describe, expect, test } from 'vitest';
import { type Point, SessionPoints } from '../../../src/exporter/otlp/session-points.ts';
import { utilizationBounds } from '../../../src/exporter/utilization-histogram.ts';
import type { Recording } from '../../../src/model/recording.ts';
import type { Series } from '../../../src/model/series.ts';
import { fakeRecording } from '../../support/fake-recording.ts';
import {
  fakeOomKill,
  fakeProcess,
  fakeSample,
  mib,
  startUnixMs,
} from '../../support/fake-sample.ts';

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
    // A millisecond after the last tick.
    const endUnixMs = startUnixMs + 129_001;
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
      ['1h', endUnixMs, (500 + 129 * 10) * mib],
      ['session', endUnixMs, (500 + 129 * 10) * mib],
    ]);
  });

  test('of every closed hour, at its end', () => {
    // 14:59:55 to 15:00:04, growing by 10 MiB a second from 14:00:00 on.
    const overHour: Recording = { ...recordingOf(10, 3595), series: () => series };
    const points = new SessionPoints(overHour.facts).pointsOf(overHour, [...overHour.ticks()]);
    const ofHour = points
      .flat()
      .filter(
        ({ series: { metric, attributes } }) =>
          metric.name === 'headroom.rollup.memory.working_set' &&
          attributes['headroom.rollup.window'] === '1h' &&
          attributes['headroom.rollup.stat'] === 'max',
      );
    expect(
      ofHour.map(({ startUnixMs: from, timeUnixMs, value }) => [from, timeUnixMs, value]),
    ).toEqual([[startUnixMs, startUnixMs + 3_600_000, (500 + 3599 * 10) * mib]]);
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
    expect(roles).toHaveLength(6 * 5);
    for (const { series } of roles)
      expect(series.attributes['headroom.process.role']).toBe('renderer');
  });
});

describe('the histogram of the utilization', () => {
  // 62 ticks at 50 % of the limit and more, two of them over a gap of half a minute.
  const ratios = [...Array(61).fill(0.5), 0.97, 1.02];
  const seconds = ratios.map((_, index) => index + (index > 30 ? 30 : 0));
  const recording = fakeRecording({
    samples: ratios.map((ratio, index) =>
      fakeSample({
        second: seconds[index] ?? 0,
        sequence: index + 1,
        machine: { totalBytes: 1000, freeBytes: 1000 * (1 - ratio), inactiveFileBytes: 0 },
      }),
    ),
  });
  const histograms = [...allPoints(recording), ...closing(recording)]
    .filter(({ series }) => series.metric.name === 'headroom.distribution.memory.utilization')
    .map(({ timeUnixMs, startUnixMs: begun, value }) => ({ timeUnixMs, begun, value }));

  test('is born at 0, and told with every minute and at the end, in ms; a gap weighs an interval', () => {
    const bucketOf = (bound: number) => utilizationBounds.indexOf(bound);
    const counts = (parts: Record<number, number>) =>
      Array.from({ length: utilizationBounds.length + 1 }, (_, at) => parts[at] ?? 0);
    expect(histograms).toMatchObject([
      { timeUnixMs: startUnixMs, value: { count: 0, sum: 0, min: null, counts: counts({}) } },
      {
        timeUnixMs: startUnixMs + 60_000,
        value: { count: 31_000, counts: counts({ [bucketOf(0.5)]: 31_000 }) },
      },
      {
        timeUnixMs: startUnixMs + 92_001,
        value: {
          count: 63_000,
          max: 1.02,
          counts: counts({
            [bucketOf(0.5)]: 61_000,
            [bucketOf(0.975)]: 1000,
            [utilizationBounds.length]: 1000,
          }),
        },
      },
    ]);
    for (const { begun } of histograms) expect(begun).toBe(startUnixMs);
  });

  test('goes on after a resume', () => {
    const ticks = [...recording.ticks()];
    const points = new SessionPoints(recording.facts);
    points.skip(recording, ticks.slice(0, 40));
    points.pointsOf(recording, ticks.slice(40));
    expect(points.closingPoints(recording).at(-1)?.value).toEqual(histograms.at(-1)?.value);
  });

  test('does not exist where the limit or the use is unknown', () => {
    const unknown = fakeRecording({ samples: [0, 1].map((second) => fakeSample({ second })) });
    const names = [...allPoints(unknown), ...closing(unknown)].map(({ series }) => series.metric);
    expect(names.filter(({ instrument }) => instrument === 'histogram')).toEqual([]);
  });
});

test('a minute that a clock set back goes through again is told once', () => {
  const seconds = [0, 30, 61, 10, 20, 62, 121];
  const samples = seconds.map((second, index) =>
    fakeSample({
      second,
      sequence: index + 1,
      monotonicMs: index * 1000,
      machine: { totalBytes: 10, freeBytes: 5, inactiveFileBytes: 0 },
    }),
  );
  const recording = fakeRecording({ samples });
  const keys = [...allPoints(recording), ...closing(recording)]
    .filter(({ series }) => series.metric.instrument === 'histogram')
    .map(({ timeUnixMs }) => timeUnixMs - startUnixMs);
  expect(keys).toEqual([0, 60_000, 120_000, 121_001]);
});

test('exponential histograms, when asked for: cumulative, as the distribution of the file has them', () => {
  const series: Series[] = [{ scope: 'session', metric: 'working_set' }];
  const recording: Recording = { ...recordingOf(130), series: () => series };
  const ticks = [...recording.ticks()];
  const whole = new SessionPoints(recording.facts, { exponential: true });
  const told = [...whole.pointsOf(recording, ticks).flat(), ...whole.closingPoints(recording)];
  const resumed = new SessionPoints(recording.facts, { exponential: true });
  resumed.skip(recording, ticks.slice(0, 100));
  const rest = [
    ...resumed.pointsOf(recording, ticks.slice(100)).flat(),
    ...resumed.closingPoints(recording),
  ];
  const exponential = (points: readonly Point[]) =>
    points
      .filter(({ series: one }) => one.metric.name === 'headroom.exponential.memory.working_set')
      .map(({ timeUnixMs, value }) => ({ timeUnixMs, value }));
  const until = (second: number) =>
    recording.distribution(series[0] ?? fail(), { toUnixMs: startUnixMs + second * 1000 - 1 });
  expect(exponential(told)).toMatchObject([
    { timeUnixMs: startUnixMs + 60_000, value: { count: 60_000, sum: until(60)?.sum } },
    { timeUnixMs: startUnixMs + 120_000, value: { count: 120_000, max: until(120)?.max } },
    { timeUnixMs: startUnixMs + 129_001, value: { ...until(130)?.buckets(), count: 130_000 } },
  ]);
  expect(exponential(rest)).toEqual(exponential(told).slice(1));
});

test('a process that is killed in its first second is an increase, too', () => {
  const renderer = fakeProcess({ pid: 110, role: 'renderer', cpuMs: 0 });
  const samples = [[], [renderer], []].map((processes, second) =>
    fakeSample({ second, processes }),
  );
  const events = [
    fakeOomKill({ pid: 110, comm: renderer.comm, timeUnixMs: startUnixMs + 900, kmsgSequence: 1 }),
  ];
  const recording = fakeRecording({ samples, events });
  const victims = (points: readonly Point[]) =>
    points
      .filter(({ series }) => series.metric.name === 'headroom.oom.victims')
      .map(({ timeUnixMs, value }) => [timeUnixMs - startUnixMs, value]);
  expect(victims(allPoints(recording))).toEqual([
    [0, 0],
    [1000, 1],
    [2000, 1],
  ]);
  const resumed = new SessionPoints(recording.facts);
  const ticks = [...recording.ticks()];
  resumed.skip(recording, ticks.slice(0, 2));
  expect(victims(resumed.pointsOf(recording, ticks.slice(2)).flat())).toEqual([[2000, 1]]);
});

test('kills of all roles together: 0 when a browser is first seen, then with each minute and the end, also after a resume', () => {
  const [renderer, gpu] = [
    fakeProcess({ pid: 110, role: 'renderer', cpuMs: 0 }),
    fakeProcess({ pid: 120, role: 'gpu', cpuMs: 0 }),
  ];
  const seconds = [0, 20, 40, 61, 80, 100, 121];
  const samples = seconds.map((second, index) =>
    fakeSample({
      second,
      sequence: index + 1,
      processes: index > 0 && index < 6 ? [renderer, gpu] : [],
    }),
  );
  // The last one between the end of a minute and the next tick: it belongs to the minute after.
  const events = [
    fakeOomKill({ pid: 110, comm: 'chrome', timeUnixMs: startUnixMs + 30_000, kmsgSequence: 1 }),
    fakeOomKill({ pid: 120, comm: 'chrome', timeUnixMs: startUnixMs + 120_500, kmsgSequence: 2 }),
  ];
  const recording = fakeRecording({ samples, events });
  const told = (points: readonly Point[]) =>
    points
      .filter(({ series }) => series.metric.name === 'headroom.session.oom.victims')
      .map(({ timeUnixMs, value }) => [timeUnixMs - startUnixMs, value]);
  const all = [
    [20_000, 0],
    [60_000, 1],
    [120_000, 1],
    [121_001, 2],
  ];
  expect(told([...allPoints(recording), ...closing(recording)])).toEqual(all);
  const resumed = new SessionPoints(recording.facts);
  const ticks = [...recording.ticks()];
  resumed.skip(recording, ticks.slice(0, 4));
  expect(told(resumed.pointsOf(recording, ticks.slice(4)).flat())).toEqual([[120_000, 1]]);
  expect(told(resumed.closingPoints(recording))).toEqual([[121_001, 2]]);
});

/** One tick a second: memory, a renderer that grows, a kill each second. */
function recordingOf(seconds: number, fromSecond = 0): Recording {
  const samples = Array.from({ length: seconds }, (_, index) => fromSecond + index).map((second) =>
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

function fail(): never {
  throw new Error('there is a series');
}
