import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { bearerToken, isExpectedHost, isSameSecret, newSecret } from '../../src/host/auth.ts';

const request = (headers: Record<string, string>) => ({ headers }) as unknown as IncomingMessage;

test('secrets are compared, whatever their length', () => {
  const secret = newSecret();
  expect(secret).toMatch(/^[\w-]{43}$/);
  expect(isSameSecret(secret, secret)).toBe(true);
  for (const other of ['', secret.slice(1), `${secret}x`, newSecret()]) {
    expect(isSameSecret(other, secret)).toBe(false);
  }
});

test.each([
  ['Bearer abc', 'abc'],
  ['bearer abc', 'abc'],
  ['Basic abc', null],
  ['Bearer', null],
])('%s', (authorization, token) => {
  expect(bearerToken(request({ authorization }))).toBe(token);
});

test.each([
  ['127.0.0.1:8787', '127.0.0.1', true],
  ['localhost:8787', '127.0.0.1', true],
  ['[::1]:8787', '::1', true],
  ['rebound.example:8787', '127.0.0.1', false],
  ['127.0.0.1.rebound.example', 'localhost', false],
  ['', '127.0.0.1', false],
  ['box.example:8787', '0.0.0.0', true],
])('Host: %s where it listens on %s: %s', (host, address, isExpected) => {
  expect(isExpectedHost(request({ host }), address)).toBe(isExpected);
});
