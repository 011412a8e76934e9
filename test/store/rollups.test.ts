import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Sample } from '../../src/model/sample.ts';
import { openDatabase } from '../../src/store/driver.ts';
import { openRecording } from '../../src/store/reader.ts';
import { fakeSample, startUnixMs } from '../support/fake-sample.ts';
import { temporaryFolder } from '../support/headroom-cli.ts';
import { recordSamples } from '../support/record-samples.ts';

const hourMs = 3_600_000;
const minuteMs = 60_000;
const series = { scope: 'session', metric: 'browser_pss' } as const;

/** From one tick to the next by the wall clock, and a figure, which may be unknown. */
interface Step {
  ms: number;
  value: number | null;
}

const stepMs = fc.oneof(
  { weight: 12, arbitrary: fc.integer({ min: 900, max: 2500 }) },
  { weight: 3, arbitrary: fc.integer({ min: 2501, max: 90_000 }) },
  { weight: 2, arbitrary: fc.integer({ min: minuteMs, max: 2 * hourMs }) },
  // Somebody sets the clock back.
  { weight: 1, arbitrary: fc.integer({ min: -2 * hourMs, max: -1 }) },
);
const steps = fc.array(
  fc.record<Step>({
    ms: stepMs,
    value: fc.option(fc.integer({ min: 0, max: 2 ** 33 }), { freq: 8 }),
  }),
  { minLength: 1, maxLength: 120 },
);

interface Totals {
  weight: number;
  samples: number;
  min: number;
  max: number;
  sum: number;
}

test('property: minutes merged are the hours, and both are the whole, exactly', () => {
  using folder = temporaryFolder();
  let run = 0;
  fc.assert(
    fc.property(steps, (session) => {
      const file = folder.file(`${run++}.db`);
      const ticks = ticksOf(session);
      recordSamples(
        file,
        ticks.map(({ sample }) => sample),
      );
      const known = ticks.flatMap(({ sample, weight }) => {
        const value = sample.browser.pssEstimatedBytes;
        return value === null ? [] : [{ value, weight, timeUnixMs: sample.timeUnixMs }];
      });
      const windows = (spanMs: number) =>
        groups(known, ({ timeUnixMs }) => spanMs * Math.floor(timeUnixMs / spanMs));
      const stored = storedRollups(file);
      expect(stored.minutes).toEqual(windows(minuteMs));
      // The last hour goes on, and one that the clock was set back to is made again when it closes.
      const hours = windows(hourMs);
      for (const [hour, totals] of stored.hours) expect(totals).toEqual(hours.get(hour));
      const wasSetBack = session.some(({ ms }) => ms < 0);
      const lastUnixMs = ticks.at(-1)?.sample.timeUnixMs ?? 0;
      const closed = [...hours.keys()].filter((hour) => hour + hourMs <= lastUnixMs);
      if (!wasSetBack) expect([...stored.hours.keys()]).toEqual(closed);
      expect(wholeOf(file)).toEqual(groups(known, () => 0).get(0));
    }),
    { numRuns: 40 },
  );
});

/** The samples, each with the time that it stands for, by the rule of docs/schema.md. */
function ticksOf(session: readonly Step[]): { sample: Sample; weight: number }[] {
  let timeUnixMs = startUnixMs;
  let monotonicMs = 50_000;
  return session.map(({ ms, value }, second) => {
    const distanceMs = ms < 0 ? 1000 : ms;
    if (second > 0) {
      timeUnixMs += ms;
      monotonicMs += distanceMs;
    }
    const browser = { pssEstimatedBytes: value };
    const sample = fakeSample({ second, timeUnixMs, monotonicMs, browser });
    // Two intervals and half a second is the longest that is no gap.
    return { sample, weight: second === 0 || distanceMs > 2500 ? 1000 : distanceMs };
  });
}

function groups<T extends { value: number; weight: number }>(
  known: readonly T[],
  keyOf: (one: T) => number,
): Map<number, Totals> {
  const found = new Map<number, Totals>();
  for (const one of known) {
    const { value, weight } = one;
    const before = found.get(keyOf(one)) ?? { ...none };
    found.set(keyOf(one), {
      weight: before.weight + weight,
      samples: before.samples + 1,
      min: Math.min(before.min, value),
      max: Math.max(before.max, value),
      sum: before.sum + value * weight,
    });
  }
  return new Map([...found].sort(([a], [b]) => a - b));
}

const none: Totals = { weight: 0, samples: 0, min: Infinity, max: -Infinity, sum: 0 };

function storedRollups(file: string): Record<'minutes' | 'hours', Map<number, Totals>> {
  const db = openDatabase(file, { mode: 'read', busyTimeoutMs: 0 });
  const select = db.prepare<[number], Totals & { start: number }>(
    `SELECT start_unix_ms AS start, weight_ms AS weight, sample_count AS samples, min, max, sum
     FROM rollup JOIN series USING (series)
     WHERE scope = 'session' AND metric = 'browser_pss' AND span_ms = ? ORDER BY start`,
  );
  const [minutes, hours] = [minuteMs, hourMs].map(
    (spanMs) => new Map(select.all(spanMs).map(({ start, ...totals }) => [start, totals])),
  );
  db.close();
  return { minutes: minutes ?? new Map(), hours: hours ?? new Map() };
}

/** What the reader makes of them all. */
function wholeOf(file: string): Totals | undefined {
  using recording = openRecording(file);
  const sketch = recording.distribution(series);
  if (sketch === null) return undefined;
  const { count, min, max, sum } = sketch;
  const samples = recording.windows(series).reduce((all, { sampleCount }) => all + sampleCount, 0);
  return { weight: count, samples, min: min ?? Number.NaN, max: max ?? Number.NaN, sum };
}
