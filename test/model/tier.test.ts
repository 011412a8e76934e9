import { expect, test } from 'vitest';
import { tierOf } from '../../src/model/tier.ts';
import { fakeMachineFacts, mib } from '../support/fake-sample.ts';

// MemTotal of real machines of these sizes: the kernel keeps 1.5 to 7 % for itself.
test.each([
  ['machine', 8_137_128 * 1024, '8GiB'],
  ['machine', 1_005_000 * 1024, '1GiB'],
  ['machine', 16_331_000 * 1024, '16GiB'],
  ['machine', 3_930_000 * 1024, '4GiB'],
  ['machine', 12_250_000 * 1024, '12GiB'],
  ['machine', 65_780_000 * 1024, '64GiB'],
  ['machine', 491_000 * 1024, '512MiB'],
  ['cgroup_v2', 400 * mib, '400MiB'],
  ['cgroup_v1', 8192 * mib, '8GiB'],
  ['machine', 0, 'unknown'],
] as const)('a %s limit of %i bytes is the tier %s', (limitSource, limitBytes, tier) => {
  expect(tierOf({ machine: fakeMachineFacts({ limitSource, limitBytes }) })).toBe(tier);
});
