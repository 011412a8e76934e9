import { expect, test } from 'vitest';
import { trackPressure } from '../../src/analysis/pressure.ts';
import { fakeSample, startUnixMs } from '../support/fake-sample.ts';

interface Reading {
  second: number;
  fullMs: number | null;
  monotonicMs?: number;
}

function pressureOf(readings: readonly Reading[]) {
  const tracker = trackPressure();
  for (const { fullMs, ...at } of readings) {
    tracker.add(fakeSample({ ...at, pressure: { memoryFullMs: fullMs } }));
  }
  return tracker.result();
}

test('the largest share over 10 s, and the sum', () => {
  const readings = Array.from({ length: 31 }, (_, second) => ({
    second,
    // Nothing, then half of each second from 10 to 20, then nothing.
    fullMs: 7_000 + 500 * Math.min(10, Math.max(0, second - 10)),
  }));
  expect(pressureOf(readings)).toEqual({
    memoryFullMs: 5000,
    memorySomeMs: null,
    memoryFullRatioMax: 0.5,
    memoryFullMaxUnixMs: startUnixMs + 20_000,
    coveredMs: 30_000,
  });
});

test('less than 10 s is no share', () => {
  const readings = [0, 1, 2].map((second) => ({ second, fullMs: 900 * second }));
  expect(pressureOf(readings)).toMatchObject({
    memoryFullMs: 1800,
    memoryFullRatioMax: null,
    coveredMs: 2000,
  });
});

test('one slow read among ten seconds is a small share', () => {
  const readings = Array.from({ length: 21 }, (_, second) => ({
    second,
    fullMs: second >= 10 ? 300 : 0,
  }));
  expect(pressureOf(readings).memoryFullRatioMax).toBe(0.03);
});

test('a stalled recorder loses nothing: the kernel went on counting', () => {
  expect(
    pressureOf([
      { second: 0, fullMs: 0 },
      { second: 20, fullMs: 10_000 },
    ]),
  ).toMatchObject({ memoryFullMs: 10_000, memoryFullRatioMax: 0.5 });
});

test.each<[string, Reading[]]>([
  [
    'a counter that went back',
    [
      { second: 0, fullMs: 9000 },
      { second: 20, fullMs: 100 },
    ],
  ],
  [
    'a monotonic clock that went back (restored snapshot)',
    [
      { second: 0, fullMs: 100, monotonicMs: 90_000 },
      { second: 20, fullMs: 9000, monotonicMs: 70_000 },
    ],
  ],
  [
    'no pressure information',
    [
      { second: 0, fullMs: null },
      { second: 20, fullMs: null },
    ],
  ],
])('%s gives no figure', (_, readings) => {
  expect(pressureOf(readings)).toMatchObject({ memoryFullMs: null, memoryFullRatioMax: null });
});

test.each([
  ['one reading', [{ second: 0, fullMs: 5 }], 0],
  ['no pressure information', [{ second: 0, fullMs: null }], null],
])('%s covers no time', (_, readings, coveredMs) => {
  expect(pressureOf(readings)).toMatchObject({ memoryFullRatioMax: null, coveredMs });
});
