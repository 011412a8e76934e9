import fc from 'fast-check';
import { expect, test } from 'vitest';
import { growthBytesPerMinute } from '../../src/analysis/growth.ts';

const minute = 60_000;

test('a straight line grows by its slope', () => {
  const points = Array.from({ length: 301 }, (_, second) => ({
    timeUnixMs: second * 1000,
    bytes: 50_000_000 + second * 100_000,
  }));
  // 100 kB a second.
  const growth = growthBytesPerMinute(points, 300_000) ?? 0;
  expect(growth / 6_000_000).toBeCloseTo(1, 1);
});

test('one spike is no growth', () => {
  const points = [
    { timeUnixMs: 0, bytes: 100 },
    { timeUnixMs: 2 * minute, bytes: 900_000_000 },
    { timeUnixMs: 2 * minute + 10_000, bytes: 100 },
  ];
  expect(growthBytesPerMinute(points, 5 * minute)).toBe(0);
});

test('rows are sparse: what is not written again has not changed', () => {
  expect(growthBytesPerMinute([{ timeUnixMs: 0, bytes: 5_000_000 }], minute)).toBe(0);
});

test.each([
  ['nothing', [], 5 * minute],
  ['less than a minute', [{ timeUnixMs: 0, bytes: 1 }], minute - 1],
])('unknown for %s', (_, points, endUnixMs) => {
  expect(growthBytesPerMinute(points, endUnixMs)).toBeNull();
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
        const growth = growthBytesPerMinute(points, timeUnixMs + minute);
        expect(growth).not.toBeNull();
        expect(Number.isFinite(growth)).toBe(true);
      },
    ),
  );
});
