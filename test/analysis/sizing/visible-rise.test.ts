import { expect, test } from 'vitest';
import { trendTest } from '../../../src/analysis/sizing/rank-tests.ts';
import { visibleRise } from '../../../src/analysis/sizing/visible-rise.ts';
import { uniformNumbers } from '../../support/uniform-numbers.ts';

const mib = 2 ** 20;
type Draw = (random: () => number) => number;

const spread: Draw = (random) => 300 * mib * Math.exp(random() + random() + random() - 1.5);
const narrow: Draw = (random) => 300 * mib * (1 + 0.1 * random());
const bimodal: Draw = (random) => (random() < 0.8 ? 200 : 900) * mib * (1 + 0.2 * random());
const heavy: Draw = (random) => 200 * mib * (1 - random()) ** -0.5;

// What the formula says is compared with what the test does.
test.each([
  ['spread', 20, spread],
  ['spread', 60, spread],
  ['narrow', 20, narrow],
  ['heavy-tailed', 30, heavy],
  ['bimodal', 40, bimodal],
] as const)(
  '%s demand, %i sessions: so large a rise is found in about nine of ten histories',
  (_, n, draw) => {
    const random = uniformNumbers(7);
    let found = 0;
    const trials = 400;
    for (let trial = 0; trial < trials; trial++) {
      const rise = visibleRise(
        Array.from({ length: n }, () => draw(random)),
        0.05,
      );
      const risen = Array.from(
        { length: n },
        (_, at) => draw(random) * (1 + (rise ?? 0)) ** (at / (n - 1)),
      );
      const { z, p } = trendTest(risen);
      if (z > 0 && p < 0.05) found++;
    }
    expect(found / trials).toBeGreaterThan(0.88);
    expect(found / trials).toBeLessThan(0.98);
  },
);

test('sessions that all need the same hide nothing; eight that differ greatly hide nearly all', () => {
  expect(visibleRise(Array(20).fill(300 * mib), 0.05)).toBeLessThan(0.001);
  const wild = [100, 3000, 200, 6000, 150, 4000, 90, 5000].map((size) => size * mib);
  expect(visibleRise(wild, 0.05)).toBeNull();
});
