import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Point, SessionPoints } from '../../../src/exporter/otlp/session-points.ts';
import type { ResolutionStretch } from '../../../src/model/recording.ts';
import type { Sample } from '../../../src/model/sample.ts';
import { workingSetBytes } from '../../../src/model/session-memory.ts';
import { openRecording } from '../../../src/store/reader.ts';
import { StoreWriter } from '../../../src/store/writer.ts';
import { mib } from '../../support/fake-sample.ts';
import { temporaryFolder } from '../../support/headroom-cli.ts';
import {
  syntheticFacts,
  syntheticSamples,
  syntheticStartUnixMs,
} from '../../support/synthetic-session.ts';

const hourMs = 3_600_000;
const minuteMs = 60_000;

/** 18 hours, two samples a minute, in a file in which there is room for a part of them. */
const samples: Sample[] = [];
let stretches: ResolutionStretch[] = [];
let points: Point[] = [];
const folder = temporaryFolder();

beforeAll(() => {
  const file = folder.file('a.db');
  const writer = StoreWriter.open(file, syntheticFacts(), { maxBytes: 4 * mib });
  const options = { tickCount: 18 * 120, intervalMs: 30_000, processCount: 120 };
  for (const sample of syntheticSamples(options)) {
    samples.push(sample);
    writer.writeSample(sample, []);
  }
  writer.close({ endedUnixMs: 0, endReason: 'signal' });
  using recording = openRecording(file);
  stretches = recording.resolutions();
  const session = new SessionPoints(recording.facts, { perProcess: 20 });
  points = session.pointsOf(recording, [...recording.ticks()]).flat();
});
afterAll(() => folder[Symbol.dispose]());

test('every hour has its percentiles, whatever is left of its samples', () => {
  // The last one is not closed by a sample.
  expect(maximaOf('1h')).toEqual(
    Array.from({ length: 17 }, (_, hour) => exactMaximum(hour, hourMs)),
  );
});

test('minutes have theirs where they were not made into hours', () => {
  const [hours] = stretches;
  expect(hours?.resolution).toBe('hours');
  const firstMinute = (Math.floor((hours?.toUnixMs ?? 0) / hourMs) + 1) * 60;
  const from = firstMinute - syntheticStartUnixMs / minuteMs;
  const minutes = Array.from({ length: 18 * 60 - 1 - from }, (_, at) => from + at);
  expect(maximaOf('1m')).toEqual(minutes.map((minute) => exactMaximum(minute, minuteMs)));
});

test('of roles and processes nothing is told where nothing is known of them', () => {
  const full = stretches.find(({ resolution }) => resolution === 'ticks');
  const ofProcesses = points.filter(({ series }) =>
    ['headroom.browser.memory.rss', 'process.memory.usage'].includes(series.metric.name),
  );
  const times = ofProcesses.map(({ timeUnixMs }) => timeUnixMs);
  expect(Math.min(...times)).toBe(full?.fromUnixMs);
});

function maximaOf(window: string) {
  return points
    .filter(
      ({ series: { metric, attributes } }) =>
        metric.name === 'headroom.rollup.memory.working_set' &&
        attributes['headroom.rollup.window'] === window &&
        attributes['headroom.rollup.stat'] === 'max',
    )
    .map(({ timeUnixMs, value }) => [timeUnixMs, value]);
}

function exactMaximum(index: number, spanMs: number) {
  const fromUnixMs = syntheticStartUnixMs + index * spanMs;
  const within = samples.filter(
    ({ timeUnixMs }) => timeUnixMs >= fromUnixMs && timeUnixMs < fromUnixMs + spanMs,
  );
  return [fromUnixMs + spanMs, Math.max(...within.map((sample) => workingSetBytes(sample) ?? 0))];
}
