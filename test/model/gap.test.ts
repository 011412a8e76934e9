import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { gapBetween, gapThresholdMs, weightMs } from '../../src/model/gap.ts';
import { caseJson, caseLines } from '../support/cases.ts';

const wallStart = 1_795_960_800_000;

/** A reading of both clocks, in ms after the first one. */
function at(wallMs: number, monotonicMs = wallMs) {
  return { timeUnixMs: wallStart + wallMs, monotonicMs: 50_000 + monotonicMs };
}

describe('one second between samples', () => {
  test.each<[string, number, number, string | null]>([
    ['on time', 1_000, 1_000, null],
    ['early', 10, 10, null],
    ['late, and still known', 2_500, 2_500, null],
    ['later than that', 2_501, 2_501, 'stall'],
    ['asleep for 10 minutes', 601_000, 1_000, 'standby'],
    ['asleep for 3 s', 4_000, 1_000, 'standby'],
    ['asleep and then late', 30_000, 5_000, 'standby'],
    ['a small correction of the wall clock', 3_000, 1_000, null],
    ['the wall clock set back an hour', -3_599_000, 1_000, 'clock_step'],
    ['the monotonic clock back: another boot', 60_000, -40_000, 'restart'],
    ['restored into the past, the wall clock set', 4_000_000, -30_000, 'restart'],
  ])('%s', (_, wallMs, monotonicMs, kind) => {
    const gap = gapBetween(at(0), at(wallMs, monotonicMs), 1_000);
    if (kind === null) {
      expect(gap).toBeNull();
    } else {
      expect(gap).toEqual({
        kind: 'gap',
        gap: kind,
        fromUnixMs: wallStart,
        toUnixMs: wallStart + wallMs,
        timeUnixMs: wallStart + wallMs,
        wallMs,
        monotonicMs,
      });
    }
  });
});

test.each([
  [100, 700],
  [1_000, 2_500],
  [10_000, 20_500],
])('at an interval of %i ms a gap begins after %i ms', (intervalMs, thresholdMs) => {
  expect(gapThresholdMs(intervalMs)).toBe(thresholdMs);
  expect(gapBetween(at(0), at(thresholdMs), intervalMs)).toBeNull();
  expect(gapBetween(at(0), at(thresholdMs + 1), intervalMs)?.gap).toBe('stall');
});

// A kernel that slept says so. One that was paused with its whole machine, or whose clock was set
// by hand, does not: the two look alike.
test.each<[string, number, number, number | null, string]>([
  ['asleep for 10 minutes', 601_000, 1_000, 600_000, 'standby'],
  ['asleep, and the wall clock corrected by a second since', 602_000, 1_000, 600_010, 'standby'],
  ['asleep and then late', 30_000, 5_000, 25_000, 'standby'],
  ['set forward by 10 minutes', 601_000, 1_000, 0, 'clock_step'],
  ['set forward by 10 minutes, with a nap of a second', 602_000, 1_000, 1_000, 'clock_step'],
  ['stopped for 10 minutes', 601_000, 601_000, 0, 'stall'],
  ['set back by an hour', -3_599_000, 1_000, 0, 'clock_step'],
  ['restored, and the clock set', 4_000_000, -30_000, 0, 'restart'],
  ['ahead, and nobody can tell', 601_000, 1_000, null, 'standby'],
])('with the time asleep known: %s', (_, wallMs, monotonicMs, suspendedMs, kind) => {
  const before = { ...at(0), suspendedMs: 7_000 };
  const after = {
    ...at(wallMs, monotonicMs),
    suspendedMs: suspendedMs === null ? null : 7_000 + suspendedMs,
  };
  expect(gapBetween(before, after, 1_000)?.gap).toBe(kind);
});

// Boot time has the sleep in variant a, and nobody's word for it in variant b.
describe.each([
  ['samples.jsonl', 'standby'],
  ['variant_b.jsonl', 'clock_step'],
])('case 059: %s', (file, kind) => {
  const folder = '059-standby-gap';
  const expected = caseJson<{ gaps: number; gap_seconds: number }>(`${folder}/expected.json`);
  const rows = caseLines<{ mono: number; boot: number; real: number }>(`${folder}/${file}`);
  const readings = rows.map((row) => ({
    timeUnixMs: row.real * 1_000,
    monotonicMs: row.mono * 1_000,
    suspendedMs: (row.boot - row.mono) * 1_000,
  }));

  test('one gap of 600 s', () => {
    const gaps = readings
      .slice(1)
      .flatMap((reading, index) => gapBetween(readings[index] ?? reading, reading, 10_000) ?? []);
    expect(gaps).toHaveLength(expected.gaps);
    expect(gaps[0]?.gap).toBe(kind);
    const aheadMs = (gaps[0]?.wallMs ?? 0) - (gaps[0]?.monotonicMs ?? 0);
    expect(aheadMs).toBe(expected.gap_seconds * 1_000);
  });

  test('its six samples weigh the same: none stands for the sleep', () => {
    const weights = readings.map((reading, index) =>
      weightMs(readings[index - 1] ?? null, reading, 10_000),
    );
    expect(weights).toEqual([10_000, 10_000, 10_000, 10_000, 10_000, 10_000]);
  });
});

test('case 063: the real distances are the weights, a stall is none', () => {
  const rows = caseLines<{ boot: number }>('063-sampler-stalls-under-pressure/samples.jsonl');
  const readings = rows.map(({ boot }) => ({
    timeUnixMs: wallStart + Math.round(boot * 1_000),
    monotonicMs: Math.round(boot * 1_000),
  }));
  const weights = readings.map((reading, index) =>
    weightMs(readings[index - 1] ?? null, reading, 250),
  );
  // The first ones, from the file: 743.2411 744.2629 744.7485 745.2124; beyond 1,000 ms is a gap.
  expect(weights.slice(0, 4)).toEqual([250, 250, 486, 463]);
  const known = readings
    .slice(1)
    .map((reading, index) => reading.monotonicMs - (readings[index]?.monotonicMs ?? 0))
    .map((distanceMs) => (distanceMs > 1_000 ? 250 : distanceMs));
  expect(weights.slice(1)).toEqual(known);
});

describe('weight', () => {
  test.each<[string, number, number, number]>([
    ['the distance', 1_400, 1_400, 1_400],
    ['of two samples that are close', 3, 3, 3],
    ['never 0, which no distribution takes', 0.2, 0.2, 1],
    ['at the same moment', 0, 0, 1_000],
    ['over a sleep', 600_000, 1_000, 1_000],
    ['over a stall', 9_000, 9_000, 1_000],
    ['over a restart', 5_000, -5_000, 1_000],
  ])('%s', (_, wallMs, monotonicMs, weight) => {
    expect(weightMs(at(0), at(wallMs, monotonicMs), 1_000)).toBe(weight);
  });

  test('is an integer from 1 to the threshold, whatever the clocks do', () => {
    const reading = fc.record({
      timeUnixMs: fc.integer({ min: 0, max: 2 ** 42 }),
      monotonicMs: fc.double({ min: 0, max: 2 ** 40, noNaN: true }),
    });
    const interval = fc.integer({ min: 100, max: 3_600_000 });
    fc.assert(
      fc.property(fc.option(reading), reading, interval, (before, sample, intervalMs) => {
        const weight = weightMs(before, sample, intervalMs);
        expect(Number.isSafeInteger(weight)).toBe(true);
        expect(weight).toBeGreaterThanOrEqual(1);
        expect(weight).toBeLessThanOrEqual(gapThresholdMs(intervalMs));
      }),
    );
  });
});
