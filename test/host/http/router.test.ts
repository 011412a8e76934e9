import { expect, test } from 'vitest';
import { Router } from '../../../src/host/http/router.ts';

const handlers = { list: () => undefined, one: () => undefined, kill: () => undefined };
const router = new Router({
  'GET /browsers': handlers.list,
  'GET /browsers/{id}': handlers.one,
  'POST /browsers/{id}/process/{process}/kill': handlers.kill,
});

test.each([
  ['GET', '/browsers', handlers.list, {}],
  ['GET', '/browsers/a%20b', handlers.one, { id: 'a b' }],
  ['GET', '/browsers/..%2F..', handlers.one, { id: '../..' }],
  ['POST', '/browsers/x/process/1/kill', handlers.kill, { id: 'x', process: '1' }],
])('%s %s is found', (method, path, handler, params) => {
  expect(router.match(method, path)).toEqual({ handler, params });
});

test.each([
  ['GET', '/', 'unknown'],
  ['GET', '/browsers/', 'unknown'],
  ['GET', '/browsers/%zz', 'unknown'],
  ['GET', '/browsers/a/process', 'unknown'],
  ['DELETE', '/browsers/a', 'method'],
  ['GET', '/browsers/x/process/1/kill', 'method'],
])('%s %s: %s', (method, path, answer) => {
  expect(router.match(method, path)).toBe(answer);
});
