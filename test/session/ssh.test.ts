import { expect, test } from 'vitest';
import { parseSshDestination, sshSession } from '../../src/session/ssh.ts';

test.each([
  ['host', null, 'host', null],
  ['me@host', 'me', 'host', null],
  ['me@host:2222', 'me', 'host', 2222],
  ['deploy-1@10.0.0.7:22', 'deploy-1', '10.0.0.7', 22],
  ['me@[::1]:2222', 'me', '::1', 2222],
  ['[fe80::1%eth0]', null, 'fe80::1%eth0', null],
])('%s', (text, user, host, port) => {
  expect(parseSshDestination(text)).toEqual({ user, host, port });
});

// Options of ssh, commands of a shell, what is no port.
test.each([
  '-oProxyCommand=id',
  'me@-oProxyCommand=id',
  '-l@host',
  'host;id',
  'host id',
  '$(id)@host',
  'host:0',
  'host:65536',
  'host:x',
  'a@b@c',
  '::1',
  '',
])('%s is none', (text) => {
  expect(parseSshDestination(text)).toBeNull();
});

test('is named as it was given', () => {
  expect(sshSession({ user: 'me', host: '::1', port: 22 }).name).toBe('ssh:me@[::1]:22');
  expect(sshSession({ user: null, host: 'host', port: null }).name).toBe('ssh:host');
});
