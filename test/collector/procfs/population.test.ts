import { expect, test } from 'vitest';
import { populationOf } from '../../../src/collector/procfs/population.ts';

test.each([
  // Linux 6.18
  [41_207, '12.80 10.19 6.10 3/812 28417\n', '41207 812'],
  // gVisor tells nothing of either.
  [0, '0.00 0.00 0.00 0/0 0\n', null],
  [41_207, '0.00 0.00 0.00 0/0 0\n', null],
  [0, '12.80 10.19 6.10 3/812 28417\n', null],
  [null, '12.80 10.19 6.10 3/812 28417\n', null],
  [41_207, '', null],
  [41_207, 'no loadavg', null],
])('%s forks, %j', (forkCount, loadavg, population) => {
  expect(populationOf(forkCount, loadavg)).toBe(population);
});
