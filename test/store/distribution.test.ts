import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ProcessRole } from '../../src/model/process-role.ts';
import type { Recording } from '../../src/model/recording.ts';
import type { Sample } from '../../src/model/sample.ts';
import type { Series } from '../../src/model/series.ts';
import { openRecording } from '../../src/store/reader.ts';
import { memoryStepBytes } from '../../src/store/sparse-rule.ts';
import { StoreWriter } from '../../src/store/writer.ts';
import { caseJson, caseLines } from '../support/cases.ts';
import { exactPercentile, type Weighted } from '../support/exact-percentile.ts';
import { fakeProcess, fakeSample, mib } from '../support/fake-sample.ts';
import { temporaryFolder } from '../support/headroom-cli.ts';
import { ended, running } from '../support/record-samples.ts';
import {
  syntheticFacts,
  syntheticSamples,
  syntheticStartUnixMs,
} from '../support/synthetic-session.ts';

/** A figure of each sample with the time since the sample before; in these there are no gaps. */
function weighted(
  samples: readonly Sample[],
  figure: (sample: Sample) => number | null,
  range: { fromUnixMs: number; toUnixMs: number },
): Weighted[] {
  return samples.flatMap((sample, at) => {
    const value = figure(sample);
    if (value === null) return [];
    if (sample.timeUnixMs < range.fromUnixMs || sample.timeUnixMs > range.toUnixMs) return [];
    const before = samples[at - 1];
    const weight = before === undefined ? 1000 : sample.monotonicMs - before.monotonicMs;
    return [{ value, weight }];
  });
}

function ofRole(role: ProcessRole, figure: (processes: Sample['processes']) => number | null) {
  return (sample: Sample): number | null => {
    const processes = sample.processes.filter((p) => p.role === role && p.browserPid !== null);
    return processes.length === 0 ? null : figure(processes);
  };
}

const pssSum = (processes: Sample['processes']): number | null =>
  processes.reduce<number | null>(
    (sum, { pssEstimatedBytes: pss }) => (sum === null || pss === null ? null : sum + pss),
    0,
  );
const rssSum = (processes: Sample['processes']): number =>
  processes.reduce((sum, { rssBytes }) => sum + (rssBytes ?? 0), 0);

const figures: readonly (readonly [Series, (sample: Sample) => number | null])[] = [
  [
    { scope: 'session', metric: 'working_set' },
    ({ cgroup }) => (cgroup?.chargedBytes ?? 0) - (cgroup?.inactiveFileBytes ?? 0),
  ],
  [
    { scope: 'session', metric: 'available' },
    ({ cgroup, machine }) =>
      Math.min(
        machine.availableBytes ?? 0,
        (cgroup?.limitBytes ?? 0) - (cgroup?.chargedBytes ?? 0) + (cgroup?.inactiveFileBytes ?? 0),
      ),
  ],
  [
    { scope: 'session', metric: 'utilization' },
    ({ cgroup }) => ((cgroup?.chargedBytes ?? 0) - (cgroup?.inactiveFileBytes ?? 0)) / (4096 * mib),
  ],
  [
    { scope: 'session', metric: 'browser_unreclaimable' },
    ({ browser }) => browser.unreclaimableBytes,
  ],
  [{ scope: 'session', metric: 'browser_pss' }, ({ browser }) => browser.pssEstimatedBytes],
  [{ scope: 'session', metric: 'browser_rss_sum' }, ({ browser }) => browser.rssSumBytes],
  [{ scope: 'renderer', metric: 'rss' }, ofRole('renderer', rssSum)],
  [{ scope: 'renderer', metric: 'pss' }, ofRole('renderer', pssSum)],
  [{ scope: 'renderer', metric: 'processes' }, ofRole('renderer', (processes) => processes.length)],
  [{ scope: 'gpu', metric: 'pss' }, ofRole('gpu', pssSum)],
];

describe('a quarter of an hour', () => {
  const folder = temporaryFolder();
  const samples = [...syntheticSamples({ tickCount: 900, processCount: 30 })];
  const at = (second: number) => syntheticStartUnixMs + second * 1000;
  let recording: Recording;

  beforeAll(() => {
    const writer = StoreWriter.open(folder.file('a.db'), syntheticFacts());
    for (const sample of samples) writer.writeSample(sample, []);
    writer.close(ended);
    recording = openRecording(folder.file('a.db'));
  });

  afterAll(() => {
    recording.close();
    folder[Symbol.dispose]();
  });

  test.each(figures)(
    '$scope $metric: percentiles within 1.1 %% of the exact ones',
    (series, figure) => {
      const exact = weighted(samples, figure, { fromUnixMs: at(0), toUnixMs: at(900) });
      const sketch = recording.distribution(series);
      expect(sketch?.count).toBe(exact.reduce((sum, { weight }) => sum + weight, 0));
      expect(sketch?.min).toBe(Math.min(...exact.map(({ value }) => value)));
      expect(sketch?.max).toBe(Math.max(...exact.map(({ value }) => value)));
      for (const q of [0.5, 0.9, 0.95, 0.99]) {
        const expected = exactPercentile(exact, q);
        expect(Math.abs((sketch?.quantile(q) ?? 0) / expected - 1), `p${q * 100}`).toBeLessThan(
          0.011,
        );
      }
    },
  );

  // The cut minutes come from the sparse rows: each process may be off by one step, the larger ones
  // by 1/256 of what they have.
  test.each(figures)('$scope $metric: the same of a range that cuts minutes', (series, figure) => {
    const range = { fromUnixMs: at(95) + 500, toUnixMs: at(310) };
    const exact = weighted(samples, figure, range);
    const sketch = recording.distribution(series, range);
    expect(sketch?.count).toBe(exact.reduce((sum, { weight }) => sum + weight, 0));
    const isMemoryOfRole = series.scope !== 'session' && series.metric !== 'processes';
    const tolerance = isMemoryOfRole ? 30 * memoryStepBytes(400 * mib) : 0;
    for (const q of [0.5, 0.9, 0.95, 0.99]) {
      const expected = exactPercentile(exact, q);
      const error = Math.abs((sketch?.quantile(q) ?? 0) - expected);
      expect(error, `p${q * 100}`).toBeLessThanOrEqual(0.011 * expected + tolerance);
    }
  });

  test('parts of the time add up to the whole', () => {
    for (const [series] of figures) {
      const parts = [
        { toUnixMs: at(77) },
        { fromUnixMs: at(77) + 1, toUnixMs: at(400) },
        { fromUnixMs: at(400) + 1 },
      ].map((range) => recording.distribution(series, range));
      const whole = recording.distribution(series);
      expect(parts.reduce((sum, part) => sum + (part?.count ?? 0), 0)).toBe(whole?.count);
    }
  });

  test('is null where nothing was recorded', () => {
    const series = { scope: 'session', metric: 'working_set' } as const;
    expect(recording.distribution(series, { fromUnixMs: at(5000) })).toBeNull();
    expect(recording.distribution({ scope: 'other', metric: 'pss' })).toBeNull();
  });

  test('has a series for each figure of the session and of each role', () => {
    const roles = ['browser', 'renderer', 'extension', 'gpu', 'network', 'storage', 'utility'];
    const scopes = [...roles, 'zygote', 'crashpad'];
    expect(recording.series()).toEqual([
      ...['working_set', 'available', 'utilization'].map((metric) => ({
        scope: 'session',
        metric,
      })),
      ...['unreclaimable', 'pss', 'rss_sum'].map((name) => ({
        scope: 'session',
        metric: `browser_${name}`,
      })),
      ...scopes.flatMap((scope) =>
        ['pss', 'rss', 'processes'].map((metric) => ({ scope, metric })),
      ),
    ]);
  });
});

test('a minute that is still open has a distribution as well', () => {
  using folder = temporaryFolder();
  const writer = StoreWriter.open(folder.file('a.db'), running);
  for (let second = 0; second < 5; second++) {
    const process = fakeProcess({ pid: 7, role: 'gpu', pssBytes: 64 * mib, rssBytes: 90 * mib });
    writer.writeSample(fakeSample({ second, processes: [process] }), []);
  }
  using recording = openRecording(folder.file('a.db'));
  expect(recording.distribution({ scope: 'gpu', metric: 'rss' })?.quantile(0.5)).toBe(90 * mib);
  expect(recording.series()).toContainEqual({ scope: 'gpu', metric: 'rss' });
  writer.close(ended);
});

test('a sample stands for the time since the one before, and for nothing beyond a gap', () => {
  using folder = temporaryFolder();
  const writer = StoreWriter.open(folder.file('a.db'), running);
  for (const second of [0, 1, 3, 100, 101.5]) {
    writer.writeSample(
      fakeSample({
        second,
        sequence: Math.ceil(second) + 1,
        machine: { freeBytes: 0, inactiveFileBytes: 0, totalBytes: 100 },
      }),
      [],
    );
  }
  writer.close(ended);
  using recording = openRecording(folder.file('a.db'));
  const sketch = recording.distribution({ scope: 'session', metric: 'working_set' });
  expect(sketch?.count).toBe(1000 + 1000 + 2000 + 1000 + 1500);
});

test('bursts weigh by their time, not by their number (case 103)', () => {
  const lines = caseLines<{ boot: number; usage: number }>('103-irregular-intervals/samples.jsonl');
  const expected = caseJson<{ p95_time_weighted_mib: number; max_mib: number }>(
    '103-irregular-intervals/expected.json',
  );
  using folder = temporaryFolder();
  const writer = StoreWriter.open(folder.file('a.db'), running);
  lines.forEach(({ boot, usage }, at) => {
    writer.writeSample(
      fakeSample({
        second: boot,
        sequence: at + 1,
        intervalMs: at < 60 ? 60_000 : 100,
        browser: { unreclaimableBytes: usage },
      }),
      [],
    );
  });
  writer.close(ended);
  using recording = openRecording(folder.file('a.db'));
  const sketch = recording.distribution({ scope: 'session', metric: 'browser_unreclaimable' });
  const p95 = sketch?.quantile(0.95) ?? 0;
  expect(Math.abs(p95 / mib / expected.p95_time_weighted_mib - 1)).toBeLessThan(0.011);
  expect((sketch?.max ?? 0) / mib).toBe(expected.max_mib);
});
