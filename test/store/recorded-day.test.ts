import { statSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { analyse } from '../../src/analysis/session-report.ts';
import { renderText } from '../../src/report/text.ts';
import { openRecording } from '../../src/store/reader.ts';
import { temporaryFolder } from '../support/headroom-cli.ts';
import { type RecordedDay, recordDay } from '../support/recorded-day.ts';
import { syntheticStartUnixMs } from '../support/synthetic-session.ts';

// `npm run bench -- day` has one at 1 s with 60 processes.
const options = { intervalMs: 10_000, processCount: 30 };
const folder = temporaryFolder();
const file = folder.file('day.db');
let day: RecordedDay;

beforeAll(() => {
  day = recordDay(file, options);
});
afterAll(() => folder[Symbol.dispose]());

describe('24 hours, one sample in 10 s', () => {
  test('are in the file, from the first to the last', () => {
    using recording = openRecording(file);
    expect(day.tickCount).toBe(8640);
    expect(recording.facts).toMatchObject({
      startedUnixMs: syntheticStartUnixMs,
      endedUnixMs: day.endUnixMs,
      endReason: 'duration',
    });
    expect(recording.lastTick()?.timeUnixMs).toBe(day.endUnixMs);
    expect(recording.distribution({ scope: 'session', metric: 'working_set' })?.count).toBe(
      // The first sample stands for one interval, each other for the time since the one before.
      day.endUnixMs - syntheticStartUnixMs + options.intervalMs,
    );
  });

  test('p50 to p99 are within 1.1 % of those of all values, the ends exact', () => {
    using recording = openRecording(file);
    for (const { series, quantile } of day.exact) {
      const sketch = recording.distribution(series);
      for (const q of [0.5, 0.9, 0.95, 0.99]) {
        const error = Math.abs((sketch?.quantile(q) ?? Number.NaN) / quantile(q) - 1);
        expect(error, `p${100 * q} of ${series.scope} ${series.metric}`).toBeLessThanOrEqual(0.011);
      }
      expect([sketch?.min, sketch?.max]).toEqual([quantile(0), quantile(1)]);
    }
  });

  test('have a report', () => {
    using recording = openRecording(file);
    const report = analyse(recording);
    expect(report.coverage).toMatchObject({ samples: 8640, missedTicks: 0, gaps: [] });
    const [workingSet] = day.exact;
    expect(report.memory.workingSetBytes?.max).toBe(workingSet?.quantile(1));
    const text = renderText(report, { columns: 80, color: false });
    expect(text).toContain('2026-01-05T10:00:00Z to 2026-01-06T09:59:50Z, 24 h');
    expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  test('take as much as is stated', () => {
    expect(statSync(file).size).toBeLessThanOrEqual(6_000_000);
  });
});
