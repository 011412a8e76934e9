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
  // 49 s at 1 s: two samples to a part.
  expect(tracker.result()?.usedBytes).toHaveLength(25);
  expect(tracker.result()?.usedBytes).not.toContain(null);
});
