import fc from 'fast-check';
import { expect, test } from 'vitest';
import { growthOf } from '../../src/analysis/growth.ts';

const minute = 60_000;
const mib = 2 ** 20;

function perMinute(...args: Parameters<typeof growthOf>): number | null {
  return growthOf(...args)?.bytesPerMinute ?? null;
}

test('a straight line grows by its slope', () => {
  const points = Array.from({ length: 301 }, (_, second) => ({
    timeUnixMs: second * 1000,
    bytes: 50_000_000 + second * 100_000,
  }));
  // 100 kB a second.
  const growth = perMinute(points, 300_000) ?? 0;
  expect(growth / 6_000_000).toBeCloseTo(1, 1);
});

test('one spike is no growth', () => {
  const points = [
    { timeUnixMs: 0, bytes: 100 },
    { timeUnixMs: 2 * minute, bytes: 900_000_000 },
    { timeUnixMs: 2 * minute + 10_000, bytes: 100 },
  ];
  expect(perMinute(points, 5 * minute)).toBe(0);
});

test('rows are sparse: what is not written again has not changed', () => {
  expect(perMinute([{ timeUnixMs: 0, bytes: 5_000_000 }], minute)).toBe(0);
});

test.each([
  ['nothing', [], 5 * minute],
  ['less than a minute', [{ timeUnixMs: 0, bytes: 1 }], minute - 1],
])('unknown for %s', (_, points, endUnixMs) => {
  expect(perMinute(points, endUnixMs)).toBeNull();
});

test('never faster than the fastest part, and never NaN', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(10_000), fc.nat(2 ** 40)), { minLength: 1, maxLength: 50 }),
      (steps) => {
        let timeUnixMs = 0;
        const points = steps.map(([stepMs, bytes]) => {
          timeUnixMs += stepMs;
          return { timeUnixMs, bytes };
        });
        const growth = perMinute(points, timeUnixMs + minute);
        expect(growth).not.toBeNull();
        expect(Number.isFinite(growth)).toBe(true);
      },
    ),
  );
});

/** Ten minutes, a point a second: a base of 100 MiB and what is added at that second. */
function leakOf(added: (second: number) => number) {
  const points = Array.from({ length: 601 }, (_, second) => ({
    timeUnixMs: second * 1000,
    bytes: 100 * mib + added(second),
  }));
  return growthOf(points, 600_000);
}

test.each<[string, boolean, (second: number) => number]>([
  ['a leak of 6 MiB a minute', true, (s) => s * 0.1 * mib],
  [
    'a leak under a saw of 20 MiB, as a garbage collector makes',
    true,
    (s) => s * 0.1 * mib + (s % 20) * mib,
  ],
  ['a saw alone', false, (s) => (s % 20) * mib],
  ['a page that loads: one step', false, (s) => (s < 300 ? 0 : 200 * mib)],
  ['a page that loads at the start', false, (s) => Math.min(s, 30) * 5 * mib],
  ['a leak that was mended after half of the time', false, (s) => Math.min(s, 300) * 0.2 * mib],
  ['a leak of less than 8 MiB in all', false, (s) => s * 0.01 * mib],
  ['memory that is given back', false, (s) => -s * 0.1 * mib],
])('%s is a leak: %s', (_, isLeak, added) => {
  expect(leakOf(added)?.isLeak).toBe(isLeak);
});

test('the slope is within its interval, and the interval narrow for a line', () => {
  const growth = leakOf((second) => second * 0.1 * mib);
  // 0.1 MiB a second.
  expect((growth?.lowBytesPerMinute ?? 0) / mib).toBeCloseTo(6, 0);
  expect((growth?.highBytesPerMinute ?? 0) / mib).toBeCloseTo(6, 0);
});

test('noise without a trend is hardly ever a leak', () => {
  // A linear congruential generator (Numerical Recipes): the same noise in each run.
  let state = 1;
  const next = () => {
    state = (1_664_525 * state + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
  const leaks = Array.from({ length: 200 }, () => leakOf(() => next() * 50 * mib)?.isLeak);
  expect(leaks.filter(Boolean)).toHaveLength(0);
});

test.each([
  [180, 60, 0],
  [180, 62, 0],
  [300, 100, 0],
  [900, 300, 0],
  [180, 90, 54],
  [600, 100, 0],
])('%i s of a saw of %i s, which is given back each time, are no leak', (seconds, period, from) => {
  const saw = (rate: number) =>
    growthOf(
      Array.from({ length: seconds + 1 }, (_, second) => ({
        timeUnixMs: second * 1000,
        bytes: (300 + rate * second + (118 * ((second + from) % period)) / period) * mib,
      })),
      seconds * 1000,
    );
  expect(saw(0)?.isLeak).toBe(false);
  // And a leak under it is still seen: what is not given back grows by as much as the saw is high.
  expect(saw(118 / period)?.isLeak).toBe(true);
});
