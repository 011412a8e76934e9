import { describe, expect, test } from 'vitest';
import type { Batch } from '../../../src/exporter/otlp/batch.ts';
import { PointReader } from '../../../src/exporter/otlp/point-reader.ts';
import type { Point } from '../../../src/exporter/otlp/session-points.ts';
import type { Recording } from '../../../src/model/recording.ts';
import { soonAfter, tenPointRecording } from '../../support/export-fakes.ts';
import { fakeRecording } from '../../support/fake-recording.ts';
import { fakeSample, startUnixMs } from '../../support/fake-sample.ts';

const limits = { items: 50, spanMs: 300_000 };
const ended = { ended: true, nowUnixMs: soonAfter(1000) };

test('cuts whole ticks, the oldest first, within the limit of points', () => {
  const batches = allBatches(readerOf(tenPointRecording(23)), tenPointRecording(23));
  expect(sequencesOf(batches)).toEqual([1, 6, 11, 16, 21, 23]);
  expect(batches.map((batch) => batch.items.length)).toEqual([10, 50, 50, 50, 50, 20]);
  expect(batches.map((batch) => batch.closesSession)).toEqual([
    ...[false, false, false, false, false],
    true,
  ]);
});

test('no batch spans more time than the limit', () => {
  const samples = [0, 100, 200, 800, 850].map((second, index) =>
    fakeSample({ second, sequence: index + 1 }),
  );
  const recording = fakeRecording({ samples });
  const batches = allBatches(readerOf(recording), recording, { items: 1000, spanMs: 300_000 });
  expect(sequencesOf(batches)).toEqual([3, 5]);
});

test('goes on after what was delivered', () => {
  const recording = tenPointRecording(8);
  const reader = readerOf(recording, 6);
  const [batch] = allBatches(reader, recording);
  expect(batch?.sequence).toBe(7);
  expect(batch?.items.every((point) => point.timeUnixMs === startUnixMs + 6000)).toBe(true);
});

test('nothing later than the horizon, and then what has come to be before it', () => {
  const recording = tenPointRecording(10, { isLive: true });
  const reader = readerOf(recording);
  const live = { ended: false, nowUnixMs: soonAfter(10) };
  const many = { items: 1000, spanMs: 300_000 };
  const first = reader.next(recording, many, { ...live, toUnixMs: startUnixMs + 4000 });
  expect(first?.sequence).toBe(5);
  expect(reader.next(recording, many, { ...live, toUnixMs: startUnixMs + 4000 })).toBeNull();
  const next = reader.next(recording, many, { ...live, toUnixMs: startUnixMs + 6000 });
  expect(next?.sequence).toBe(7);
});

test('what was skipped to does not let younger ticks through the horizon', () => {
  const recording = tenPointRecording(10, { isLive: true });
  const reader = readerOf(recording, 2);
  const horizon = { ended: false, nowUnixMs: soonAfter(10), toUnixMs: startUnixMs + 4000 };
  expect(reader.next(recording, { items: 1000, spanMs: 300_000 }, horizon)?.sequence).toBe(5);
});

describe('the end of a session', () => {
  test('is told with the last tick', () => {
    const recording = tenPointRecording(2);
    const batches = allBatches(readerOf(recording), recording);
    expect(batches.at(-1)).toMatchObject({ sequence: 2, closesSession: true });
  });

  test('is told alone when every tick was delivered while it was live', () => {
    const recording = withPercentile(tenPointRecording(2));
    const reader = readerOf(recording, 2);
    const batches = allBatches(reader, recording);
    expect(sequencesOf(batches)).toEqual([2]);
    expect(batches[0]?.items.map(({ series }) => series.metric.name)).toEqual(
      Array(18).fill('headroom.rollup.browser.memory.rss_sum'),
    );
  });

  test('is told once', () => {
    const recording = withPercentile(tenPointRecording(2));
    const from = { sequence: 2, isClosed: true };
    const reader = new PointReader(recording, from, { encoding: 'json' });
    expect(allBatches(reader, recording)).toEqual([]);
  });
});

test('what is later than the clock here is dropped and counted', () => {
  const samples = [0, 1, 7200].map((second, index) => fakeSample({ second, sequence: index + 1 }));
  const recording = fakeRecording({ samples });
  const horizon = { ended: true, nowUnixMs: startUnixMs + 5000 };
  const batch = readerOf(recording).next(recording, { items: 1000, spanMs: 1e9 }, horizon);
  expect(batch?.sequence).toBe(3);
  expect(batch?.dropped).toEqual({ future: 8 });
  expect(batch?.items).toHaveLength(16);
});

test('what is not a number is dropped and counted', () => {
  const samples = [
    fakeSample({ second: 0, machine: { cachedBytes: Number.NaN, buffersBytes: 2 ** 53 } }),
  ];
  const batch = readerOf(fakeRecording({ samples })).next(
    fakeRecording({ samples }),
    limits,
    ended,
  );
  expect(batch?.dropped).toEqual({ not_exact: 2 });
  expect(batch?.items).toHaveLength(8);
});

test('ticks under earlier times, after the clock was set back, are not missed', () => {
  const seconds = [0, 1, 2, 3, -3600, -3599, -3598];
  const samples = seconds.map((second, index) => fakeSample({ second, sequence: index + 1 }));
  const recording = fakeRecording({ samples });
  const batches = allBatches(readerOf(recording), recording, { items: 20, spanMs: 300_000 });
  const seen = batches.flatMap(({ items }) => items.map((point) => point.timeUnixMs));
  expect([...new Set(seen)]).toEqual(seconds.map((second) => startUnixMs + second * 1000));
});

test('a hole of lost samples is gone over', () => {
  const samples = [1, 2, 7, 8].map((sequence) => fakeSample({ second: sequence, sequence }));
  const recording = fakeRecording({ samples });
  expect(sequencesOf(allBatches(readerOf(recording), recording)).at(-1)).toBe(8);
});

test('an empty recording gives nothing', () => {
  const recording = fakeRecording({ samples: [] });
  expect(allBatches(readerOf(recording), recording)).toEqual([]);
});

function readerOf(recording: Recording, sequence = 0): PointReader {
  return new PointReader(recording, { sequence, isClosed: false }, { encoding: 'protobuf' });
}

function allBatches(reader: PointReader, recording: Recording, bounds = limits): Batch<Point>[] {
  const batches: Batch<Point>[] = [];
  for (;;) {
    const batch = reader.next(recording, bounds, ended);
    if (batch === null) return batches;
    batches.push(batch);
  }
}

function sequencesOf(batches: readonly Batch<Point>[]): number[] {
  return batches.map((batch) => batch.sequence);
}

function withPercentile(recording: Recording): Recording {
  const source = fakeRecording({
    samples: [fakeSample({ second: 0, browser: { rssSumBytes: 5 } })],
  });
  return {
    ...recording,
    series: () => [{ scope: 'session', metric: 'browser_rss_sum' }],
    distribution: source.distribution,
  };
}
