import { expect, test } from 'vitest';
import { isLoopbackHost } from '../../src/model/loopback-host.ts';

test.each([
  ['localhost', true],
  ['LOCALHOST', true],
  ['127.0.0.1', true],
  ['127.8.9.1', true],
  ['::1', true],
  ['0:0:0:0:0:0:0:1', true],
  ['::ffff:127.0.0.1', true],
  ['0.0.0.0', false],
  ['::', false],
  ['192.168.1.1', false],
  ['localhost.evil.test', false],
  ['127.0.0.1.evil.test', false],
  ['127.1', false],
  ['2130706433', false],
  ['', false],
])('%j: %s', (host, expected) => {
  expect(isLoopbackHost(host)).toBe(expected);
});
