import { afterAll, describe, expect, test } from 'vitest';
import type { Sample } from '../../../src/model/sample.ts';
import {
  availableBytes,
  sessionLimit,
  workingSetBytes,
} from '../../../src/model/session-memory.ts';
import { timelineFigures } from '../../../src/model/timeline.ts';
import { openRecording } from '../../../src/store/reader.ts';
import { StoreWriter } from '../../../src/store/writer.ts';
import { temporaryFolder } from '../../support/headroom-cli.ts';
import {
  syntheticStartUnixMs as start,
  syntheticFacts,
  syntheticSamples,
} from '../../support/synthetic-session.ts';

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

const minuteMs = 60_000;

describe('a few minutes, every sample of them', () => {
  const samples = [...syntheticSamples({ tickCount: 150, processCount: 20 })];
  const file = record('minutes.db', samples);
  const all = { fromUnixMs: start, toUnixMs: start + 150_000 };

  test('more columns than samples: each sample as it is', () => {
    using recording = openRecording(file);
    const { timesUnixMs, figures } = recording.timeline({ ...all, columns: 1000 });
    expect(timesUnixMs).toEqual(samples.map(({ timeUnixMs }) => timeUnixMs));
    expect(figures.workingSetMinBytes).toEqual(samples.map(workingSetBytes));
    expect(figures.workingSetMaxBytes).toEqual(samples.map(workingSetBytes));
    expect(figures.availableMaxBytes).toEqual(samples.map(availableBytes));
    expect(figures.limitBytes).toEqual(samples.map((sample) => sessionLimit(sample).bytes));
  });

  test('fewer columns: no peak is lost', () => {
    using recording = openRecording(file);
    const { timesUnixMs, figures } = recording.timeline({ ...all, columns: 15 });
    expect(timesUnixMs.length).toBeLessThanOrEqual(16);
    const tens = Array.from({ length: 15 }, (_, at) =>
      samples
        .filter(({ timeUnixMs }) => Math.floor((timeUnixMs - start) / 10_000) === at)
        .map((sample) => workingSetBytes(sample) ?? Number.NaN),
    );
    expect(figures.workingSetMaxBytes).toEqual(tens.map((values) => Math.max(...values)));
    expect(figures.workingSetMinBytes).toEqual(tens.map((values) => Math.min(...values)));
  });

  test('stall time is a share of the time between two points', () => {
    const stalled = samples.map((sample, at) => ({
      ...sample,
      pressure: { ...sample.pressure, memoryFullMs: at < 10 ? 0 : 250 },
      monotonicMs: 1000 * at,
      timeUnixMs: start + 1000 * at,
    }));
    using recording = openRecording(record('stalled.db', stalled));
    const { figures } = recording.timeline({ ...all, columns: 1000 });
    expect(figures.memoryFullRatio.slice(0, 12)).toEqual([
      null,
      0,
      0,
      0,
      0,
      0,
      0,
      0,
      0,
      0,
      0.25,
      0,
    ]);
  });

  test('only the window that was asked for', () => {
    using recording = openRecording(file);
    const window = { fromUnixMs: start + 20_500, toUnixMs: start + 30_500 };
    expect(recording.timeline({ ...window, columns: 1000 }).timesUnixMs).toHaveLength(10);
    expect(recording.roleTimeline({ ...window, columns: 1000 }).timesUnixMs).toHaveLength(10);
  });

  test('the roles of every sample, as they were summed when it was taken', () => {
    using recording = openRecording(file);
    const { timesUnixMs, roles } = recording.roleTimeline({ ...all, columns: 1000 });
    expect(timesUnixMs).toEqual(samples.map(({ timeUnixMs }) => timeUnixMs));
    const settled = samples.slice(100);
    const gpu = settled.map((sample) => pssOf('gpu', sample));
    const gpuRead = (roles.gpu ?? []).slice(100).map((bytes) => bytes ?? Number.NaN);
    // Rows are sparse: between two of them memory is known to 256 KiB, or a 256th of the RSS.
    gpuRead.forEach((bytes, at) => {
      expect(Math.abs(bytes - (gpu[at] ?? 0))).toBeLessThan(1024 * 1024);
    });
    expect(roles.other).toBeUndefined();
  });

  test('a process as a line that ends with it', () => {
    using recording = openRecording(file);
    const [ended] = recording.processes().filter(({ endedUnixMs }) => endedUnixMs !== null);
    const { process = 0, lastUnixMs = 0, firstUnixMs = 0 } = ended ?? {};
    const { timesUnixMs, processes } = recording.processTimeline({ ...all, columns: 1000 }, [
      process,
    ]);
    expect(processes).toHaveLength(1);
    timesUnixMs.forEach((time, at) => {
      const bytes = processes[0]?.bytes[at] ?? null;
      if (time < firstUnixMs || time > lastUnixMs) expect(bytes).toBeNull();
    });
    expect(Math.max(...(processes[0]?.bytes ?? []).map((bytes) => bytes ?? 0))).toBeGreaterThan(0);
  });
});

describe('a gap is a hole', () => {
  // Asleep for ten minutes after the fiftieth sample.
  const samples = [...syntheticSamples({ tickCount: 100, processCount: 5 })].map((sample, at) =>
    at < 50 ? sample : { ...sample, timeUnixMs: sample.timeUnixMs + 10 * minuteMs },
  );
  const file = record('asleep.db', samples);
  const before = samples[49]?.timeUnixMs ?? 0;
  const after = samples[50]?.timeUnixMs ?? 0;

  test.each([1000, 100, 20, 7])('in %d columns', (columns) => {
    using recording = openRecording(file);
    const request = { fromUnixMs: start, toUnixMs: after + 50_000, columns };
    const { timesUnixMs, figures } = recording.timeline(request);
    const inside = timesUnixMs.findIndex((time) => time > before && time < after);
    expect(inside).toBeGreaterThan(0);
    for (const figure of timelineFigures) expect(figures[figure][inside]).toBeNull();
    const roles = recording.roleTimeline(request);
    const hole = roles.timesUnixMs.findIndex((time) => time > before && time < after);
    expect(roles.roles.browser?.[hole]).toBeNull();
  });
});

describe('hours, out of the rollups', () => {
  const samples = [
    ...syntheticSamples({ tickCount: 1080, processCount: 5, intervalMs: 10_000 }),
  ].filter(({ timeUnixMs }) => Math.floor((timeUnixMs - start) / minuteMs) !== 30);
  const file = record('hours.db', samples);

  test.each([90, 1000, 3])(
    'both pictures at once are those of one after the other, in %d',
    (columns) => {
      using recording = openRecording(file);
      const request = { fromUnixMs: start, toUnixMs: start + 180 * minuteMs, columns };
      expect(recording.pictures(request)).toEqual({
        session: recording.timeline(request),
        roles: recording.roleTimeline(request),
      });
    },
  );

  test('a column of minutes has the least and the largest of its samples', () => {
    using recording = openRecording(file);
    const request = { fromUnixMs: start, toUnixMs: start + 180 * minuteMs, columns: 90 };
    const { timesUnixMs, figures } = recording.timeline(request);
    timesUnixMs.forEach((time, at) => {
      const column = samples
        .filter(
          ({ timeUnixMs }) =>
            timeUnixMs >= time && timeUnixMs < (timesUnixMs[at + 1] ?? Number.POSITIVE_INFINITY),
        )
        .map((sample) => workingSetBytes(sample) ?? Number.NaN);
      if (column.length === 0) return;
      expect(figures.workingSetMaxBytes[at]).toBe(Math.max(...column));
      expect(figures.workingSetMinBytes[at]).toBe(Math.min(...column));
    });
    expect(timesUnixMs.length).toBeLessThan(95);
  });

  test('a minute that is not there is a hole', () => {
    using recording = openRecording(file);
    const request = { fromUnixMs: start, toUnixMs: start + 180 * minuteMs, columns: 180 };
    const { timesUnixMs, figures } = recording.timeline(request);
    const at = timesUnixMs.findIndex(
      (time) => time > start + 30 * minuteMs && time < start + 31 * minuteMs,
    );
    expect(figures.workingSetMaxBytes[at]).toBeNull();
    expect(figures.workingSetMaxBytes.filter((value) => value === null)).toHaveLength(1);
  });
});

function record(name: string, samples: readonly Sample[]): string {
  const file = folder.file(name);
  const [first, second] = samples;
  const intervalMs = first?.intervalMs ?? 1000;
  if (second === undefined) throw new Error('too few samples');
  const writer = StoreWriter.open(file, syntheticFacts({ intervalMs }));
  for (const sample of samples) writer.writeSample(sample, []);
  writer.close({ endedUnixMs: samples.at(-1)?.timeUnixMs ?? 0, endReason: 'duration' });
  return file;
}

function pssOf(role: string, { processes }: Sample): number {
  return processes
    .filter((process) => process.role === role)
    .reduce((sum, { pssEstimatedBytes }) => sum + (pssEstimatedBytes ?? Number.NaN), 0);
}
