import { expect, test } from 'vitest';
import { identityOf, resourceOf, tierOf } from '../../src/exporter/session-identity.ts';
import { fakeFacts, fakeMachineFacts, mib } from '../support/fake-sample.ts';

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

test('identity is the session, its tier and its provider; labels win', () => {
  expect(identityOf(fakeFacts({ id: 's-1' }))).toEqual({
    'session.id': 's-1',
    'headroom.tier': '1GiB',
    'headroom.provider': 'local',
  });
  const labels = { tier: 'large', provider: 'kernel', workload: 'checkout' };
  expect(identityOf(fakeFacts({ id: 's-1', labels }))).toEqual({
    'session.id': 's-1',
    'headroom.tier': 'large',
    'headroom.provider': 'kernel',
    'headroom.label.workload': 'checkout',
  });
});

test('the resource has neither identity nor labels, and what the environment says wins', () => {
  const facts = fakeFacts({ id: 's-1', labels: { workload: 'checkout' } });
  expect(
    resourceOf(facts, { 'service.name': 'browsers', 'deployment.environment.name': 'test' }),
  ).toEqual({
    'service.name': 'browsers',
    'service.instance.id': 's-1',
    'service.version': '0.1.0',
    'host.name': 'vm',
    'os.type': 'linux',
    'deployment.environment.name': 'test',
  });
});

test('what a system without /proc runs is not claimed to be Linux', () => {
  const facts = fakeFacts({ machine: fakeMachineFacts({ sampleSource: 'portable' }) });
  expect(resourceOf(facts)).not.toHaveProperty('os.type');
});
