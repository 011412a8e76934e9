import { expect, test } from 'vitest';
import { identityOf, resourceOf } from '../../src/exporter/session-identity.ts';
import { fakeFacts, fakeMachineFacts } from '../support/fake-sample.ts';

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
