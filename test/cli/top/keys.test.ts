import { expect, test } from 'vitest';
import { firstChoice, pressed } from '../../../src/cli/top/keys.ts';

const typed = (sequence: string | undefined, isControl = false) =>
  pressed(firstChoice, { sequence, isControl });

test.each([
  ['p', { sort: 'cpu' }],
  ['P', { sort: 'cpu' }],
  ['g', { sort: 'growth' }],
  ['M', { sort: 'memory' }],
  ['r', { showsRoles: false }],
  [' ', { isPaused: true }],
  ['?', { showsHelp: true }],
  ['x', {}],
])('%j changes %j', (key, change) => {
  expect(typed(key)).toEqual({ ...firstChoice, ...change });
});

test('q and Ctrl-C quit; other control keys and arrows do nothing', () => {
  expect(typed('q')).toBe('quit');
  expect(typed('\u0003', true)).toBe('quit');
  expect(typed('\u0012', true)).toBe(firstChoice);
  expect(typed(undefined)).toBe(firstChoice);
});
