import { execFileSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { analyse } from '../../src/analysis/session-report.ts';
import type { Recording } from '../../src/model/recording.ts';
import type { Sample } from '../../src/model/sample.ts';
import { availableBytes, workingSetBytes } from '../../src/model/session-memory.ts';
import { openRecording } from '../../src/store/reader.ts';
import { StoreWriter } from '../../src/store/writer.ts';
import { exactPercentile } from '../support/exact-percentile.ts';
import { fakeOomKill, mib } from '../support/fake-sample.ts';
import { temporaryFolder } from '../support/headroom-cli.ts';
import {
  syntheticFacts,
  syntheticSamples,
  syntheticStartUnixMs,
} from '../support/synthetic-session.ts';

const workingSet = { scope: 'session', metric: 'working_set' } as const;
const hour = 3_600_000;
const minute = 60_000;

/** A day at one sample in ten seconds, which is more than fits. */
const day = { tickCount: 8640, intervalMs: 10_000, processCount: 40 };
const maxBytes = 7 * mib;

describe('a day in 7 MiB', () => {
  const folder = temporaryFolder();
  const file = folder.file('a.db');
  const kill = fakeOomKill({ pid: 1000, comm: 'chromium', timeUnixMs: syntheticStartUnixMs });
  const samples: Sample[] = [];
  let largestBytes = 0;
  let recording: Recording;

  beforeAll(() => {
    const writer = StoreWriter.open(file, syntheticFacts({ intervalMs: 10_000 }), { maxBytes });
    for (const sample of syntheticSamples(day)) {
      samples.push(sample);
      const events = sample.sequence === 3 ? [kill] : [];
      expect(writer.writeSample(sample, events)).toEqual({ outcome: 'written' });
      if (sample.sequence % 50 === 0) largestBytes = Math.max(largestBytes, bytesOf(file));
    }
    writer.close({ endedUnixMs: samples.at(-1)?.timeUnixMs ?? 0, endReason: 'duration' });
    recording = openRecording(file);
  });
  afterAll(() => {
    recording.close();
    folder[Symbol.dispose]();
  });

  test('never takes more, its log included, and stays whole', () => {
    expect(largestBytes).toBeGreaterThan(maxBytes / 2);
    expect(largestBytes).toBeLessThanOrEqual(maxBytes);
    expect(shell(file, 'PRAGMA integrity_check')).toBe('ok');
    expect(shell(file, 'PRAGMA freelist_count')).toBe('0');
  });

  test('has every tick of the last hours, and of what is older the last one of each minute', () => {
    const [minutes, ticks] = recording.resolutions();
    expect(recording.resolutions()).toMatchObject([
      { resolution: 'minutes', fromUnixMs: syntheticStartUnixMs, firstSequence: 0, lostCount: 0 },
      { resolution: 'ticks', toUnixMs: samples.at(-1)?.timeUnixMs },
    ]);
    const first = ticks?.firstSequence ?? 0;
    expect(first).toBeGreaterThan(1000);
    expect(first).toBeLessThan(8000);
    expect(minutes?.sampleCount).toBe(first - 1);
    expect(ticks?.sampleCount).toBe(8640 - (first - 1));
    const expected = samples
      .map(({ sequence }) => sequence)
      .filter((sequence) => sequence >= first || sequence % 6 === 0);
    expect([...recording.ticks()].map(({ sequence }) => sequence)).toEqual(expected);
  });

  test('has all its percentiles, of any part, within 1.1 % of the exact ones', () => {
    const at = (ms: number) => syntheticStartUnixMs + ms;
    for (const [fromUnixMs, toUnixMs] of [
      [at(0), at(24 * hour)],
      [at(0), at(hour - 1)],
      [at(3 * hour + 7 * minute), at(5 * hour + 9 * minute - 1)],
      [at(22 * hour + 12_345), at(23 * hour + 54_321)],
    ] as const) {
      const within = samples.filter(
        ({ timeUnixMs }) => timeUnixMs >= fromUnixMs && timeUnixMs <= toUnixMs,
      );
      const exact = within.map((sample) => ({ value: workingSetBytes(sample) ?? 0, weight: 1 }));
      const sketch = recording.distribution(workingSet, { fromUnixMs, toUnixMs });
      expect(sketch?.max).toBe(Math.max(...exact.map(({ value }) => value)));
      for (const q of [0.5, 0.9, 0.95, 0.99]) {
        const expected = exactPercentile(exact, q);
        expect(Math.abs((sketch?.quantile(q) ?? 0) / expected - 1)).toBeLessThan(0.011);
      }
    }
  });

  test('a cut minute of which the ticks are gone counts where it begins', () => {
    const cutUnixMs = syntheticStartUnixMs + 2 * hour + 3 * minute + 31_000;
    const before = recording.distribution(workingSet, { toUnixMs: cutUnixMs });
    const after = recording.distribution(workingSet, { fromUnixMs: cutUnixMs + 1 });
    expect(before?.max).toBe(
      Math.max(
        ...samples
          .filter(({ timeUnixMs }) => timeUnixMs < syntheticStartUnixMs + 2 * hour + 4 * minute)
          .map((sample) => workingSetBytes(sample) ?? 0),
      ),
    );
    const whole = recording.distribution(workingSet);
    expect((before?.count ?? 0) + (after?.count ?? 0)).toBe(whole?.count);
  });

  test('keeps events, whom a kill names, and the browser’s processes', () => {
    expect(recording.events()).toEqual([kill]);
    const browsers = new Set(
      samples.flatMap(({ processes }) =>
        processes.filter(({ browserPid }) => browserPid !== null).map(({ pid }) => pid),
      ),
    );
    const kept = recording.processes().filter(({ browserPid }) => browserPid !== null);
    expect(kept.map(({ pid }) => pid)).toEqual([...browsers]);
    expect(recording.processes()[0]).toMatchObject({ pid: 1000 });
  });

  test('is reported with what is still known of when', () => {
    const report = analyse(recording);
    expect(report.coverage).toMatchObject({
      samples: 8640,
      missedTicks: 0,
      gaps: [],
      firstUnixMs: syntheticStartUnixMs,
      resolutions: [{ resolution: 'minutes' }, { resolution: 'ticks' }],
    });
    const lowest = Math.min(...samples.map((sample) => availableBytes(sample) ?? Infinity));
    expect(report.memory.headroomMinBytes).toBe(lowest);
    expect(report.memory.availableBytes.min).toBe(lowest);
  });

  test('its views show every moment once, and what held when the full ticks begin', () => {
    expect(shell(file, 'SELECT DISTINCT span_seconds FROM percentile')).toBe('60.0');
    const perSeries = `SELECT count(*), sum(covered_seconds) FROM percentile
      WHERE scope = 'session' AND metric = 'working_set'`;
    expect(shell(file, perSeries)).toMatch(/^1440\|864\d\d\./);
    const full = recording.resolutions()[1]?.firstSequence;
    const first = samples.find(({ sequence }) => sequence === full);
    const now = (first?.timeUnixMs ?? 0) / 1000;
    const rows = shell(
      file,
      `SELECT pid FROM sample WHERE t <= ${now} AND ${now} < valid_until ORDER BY pid`,
    );
    const pids = first?.processes.map(({ pid }) => pid).toSorted((a, b) => a - b);
    expect(rows.split('\n').map(Number)).toEqual(pids);
  });
});

describe('when minutes take more than ten times as long as the ticks', () => {
  test('the oldest become hours', () => {
    using folder = temporaryFolder();
    const file = folder.file('a.db');
    const samples: Sample[] = [];
    const options = { tickCount: 18 * 120, intervalMs: 30_000, processCount: 120 };
    const writer = StoreWriter.open(file, syntheticFacts(), { maxBytes: 4 * mib });
    for (const sample of syntheticSamples(options)) {
      samples.push(sample);
      expect(writer.writeSample(sample, [])).toEqual({ outcome: 'written' });
    }
    writer.close({ endedUnixMs: 0, endReason: 'signal' });
    using recording = openRecording(file);
    const [hours, minutes, ticks] = recording.resolutions();
    expect([hours?.resolution, minutes?.resolution, ticks?.resolution]).toEqual([
      'hours',
      'minutes',
      'ticks',
    ]);
    expect(((minutes?.firstSequence ?? 0) - 1) % 120).toBe(0);
    const sampleCount = [hours, minutes, ticks].reduce(
      (sum, stretch) => sum + (stretch?.sampleCount ?? 0),
      0,
    );
    expect(sampleCount).toBe(samples.length);
    const perHour = [...recording.ticks()].filter(
      ({ sequence }) => sequence < (minutes?.firstSequence ?? 0),
    );
    expect(perHour.map(({ sequence }) => sequence)).toEqual(perHour.map((_, at) => 120 * (at + 1)));
    // Without the hours’ minutes the percentiles are the same.
    const exact = samples.map((sample) => ({ value: workingSetBytes(sample) ?? 0, weight: 1 }));
    const sketch = recording.distribution(workingSet);
    for (const q of [0.5, 0.95, 0.99]) {
      const expected = exactPercentile(exact, q);
      expect(Math.abs((sketch?.quantile(q) ?? 0) / expected - 1)).toBeLessThan(0.011);
    }
    const spans = 'SELECT span_seconds, count(*) FROM percentile GROUP BY 1 ORDER BY 1';
    expect(shell(file, spans)).toMatch(/^60\.0\|\d+\n3600\.0\|\d+$/);
    const covered = `SELECT sum(covered_seconds) FROM percentile
      WHERE scope = 'session' AND metric = 'working_set'`;
    expect(Number(shell(file, covered))).toBeCloseTo((sketch?.count ?? 0) / 1000, 6);
    expect(analyse(recording).coverage).toMatchObject({ samples: samples.length, gaps: [] });
  });
});

test('a file that was begun with a larger budget comes down to a smaller one', () => {
  using folder = temporaryFolder();
  const file = folder.file('a.db');
  const samples = [...syntheticSamples({ tickCount: 5400, processCount: 120 })];
  const first = StoreWriter.open(file, syntheticFacts());
  for (const sample of samples.slice(0, 4800)) first.writeSample(sample, []);
  first.close({ endedUnixMs: 0, endReason: 'signal' });
  expect(statSync(file).size).toBeGreaterThan(2.5 * mib);
  const second = StoreWriter.open(file, syntheticFacts(), { maxBytes: 4 * mib });
  samples.slice(4800).forEach((sample, at) => {
    expect(second.writeSample({ ...sample, sequence: at + 1 }, [])).toEqual({ outcome: 'written' });
  });
  expect(bytesOf(file)).toBeLessThanOrEqual(4 * mib);
  second.close({ endedUnixMs: 0, endReason: 'signal' });
});

function bytesOf(file: string): number {
  const log = `${file}-wal`;
  return statSync(file).size + (existsSync(log) ? statSync(log).size : 0);
}

function shell(file: string, sql: string): string {
  return execFileSync('sqlite3', ['-readonly', file, sql], { encoding: 'utf8' }).trim();
}
