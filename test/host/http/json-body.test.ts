import { expect, test } from 'vitest';
import { textList, textMap } from '../../../src/host/http/json-body.ts';

// In an error a field is called as the API spells it.
test.each([
  [() => textList({ args: ['a', 7] }, 'args'), 'args[1] must be a string'],
  [() => textList({ args: ['a\0'] }, 'args'), 'args[0] must not hold a NUL'],
  [() => textList({ args: 'a' }, 'args'), 'args must be a list of strings'],
  [() => textMap({ env: { A: 1 } }, 'env'), 'env.A must be a string'],
  [() => textMap({ env: { 'A=B': 'c' } }, 'env'), 'env has a bad name'],
])('%s: %s', (read, message) => {
  expect(read).toThrow(message);
});

test('what is not given is nothing', () => {
  expect(textList({ args: ['a', null] }, 'args')).toEqual(['a', '']);
  expect(textMap({ env: { A: null, B: 'b' } }, 'env')).toEqual({ A: '', B: 'b' });
  expect([textList({}, 'args'), textMap({ env: null }, 'env')]).toEqual([[], {}]);
});
