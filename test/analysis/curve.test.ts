import { expect, test } from 'vitest';
import { trackCurve } from '../../src/analysis/curve.ts';
import { fakeSample, mib } from '../support/fake-sample.ts';

test('samples that come ten times as often for a while leave no holes where they do not', () => {
  const seconds = [
    ...Array.from({ length: 20 }, (_, at) => at),
    ...Array.from({ length: 100 }, (_, at) => 20 + at / 10),
    ...Array.from({ length: 20 }, (_, at) => 30 + at),
  ];
  const tracker = trackCurve();
  for (const [at, second] of seconds.entries()) {
    const intervalMs = second >= 20 && second < 30 ? 100 : 1_000;
    const machine = { freeBytes: (1_000 - at) * mib, inactiveFileBytes: 0 };
    tracker.add({ ...fakeSample({ second, machine }), intervalMs });
  }
  expect(tracker.result()?.workingSetBytes).toHaveLength(60);
  expect(tracker.result()?.workingSetBytes).not.toContain(null);
});

/** Of a machine of 1000 MiB; `used` MiB and 100 more of the working set. */
function curveOf(readings: readonly [second: number, used: number][], intervalMs: number) {
  const tracker = trackCurve();
  for (const [second, used] of readings) {
    const machine = {
      totalBytes: 1_000 * mib,
      freeBytes: (900 - used) * mib,
      availableBytes: (1_000 - used) * mib,
      inactiveFileBytes: 0,
    };
    tracker.add(fakeSample({ second, intervalMs, machine }));
  }
  return tracker.result();
}

test('of two samples the second one is shown from its own time on, and not before', () => {
  const curve = curveOf(
    [
      [0, 170],
      [17, 800],
    ],
    3_600_000,
  );
  expect(curve?.usedBytes).toEqual([...new Array(59).fill(170 * mib), 800 * mib]);
  expect(curve?.workingSetBytes).toEqual([...new Array(59).fill(270 * mib), 900 * mib]);
});

test('what was measured stands for one interval, then nothing is known', () => {
  // A second to a column, and the last one at the end of the last.
  const curve = curveOf(
    [
      [0, 100],
      [1, 200],
      [30, 300],
      [31, 100],
      [60, 400],
    ],
    1_000,
  );
  const expected: (number | null)[] = new Array(60).fill(null);
  for (const [column, used] of [
    [0, 100],
    [1, 200],
    [30, 300],
    [31, 100],
    [59, 400],
  ] as const) {
    expected[column] = used * mib;
  }
  expect(curve?.usedBytes).toEqual(expected);
});

test('of very many samples the peak is kept, and a gap stays a gap', () => {
  const before = Array.from({ length: 5_000 }, (_, at) => [at, at === 2_345 ? 700 : 100] as const);
  const after = Array.from({ length: 1_001 }, (_, at) => [11_000 + at, 100] as const);
  const curve = curveOf(
    [...before, ...after].map(([second, used]) => [second, used]),
    1_000,
  );
  // 200 s to a column: 5,000 s are 25 of them, and the last 1,000 s are 5.
  const expected = [...new Array(25).fill(100), ...new Array(30).fill(null)];
  const last = new Array(5).fill(100);
  expected[11] = 700;
  expect(curve?.usedBytes).toEqual(
    [...expected, ...last].map((used) => (used === null ? null : used * mib)),
  );
});
