import { expect, test } from 'vitest';
import { parseKeyValueList } from '../../../src/exporter/otlp/key-value-list.ts';

test.each([
  ['', {}],
  ['api-key=abc', { 'api-key': 'abc' }],
  ['Authorization=Bearer%20abc, x-org = 1', { Authorization: 'Bearer abc', 'x-org': '1' }],
  ['token=a=b==', { token: 'a=b==' }],
  ['a=1,,b=', { a: '1', b: '' }],
  ['__proto__=x', Object.fromEntries([['__proto__', 'x']])],
  ['name=%C3%A9t%C3%A9', { name: 'été' }],
])('%s', (text, pairs) => {
  expect(parseKeyValueList(text)).toEqual({ pairs, problems: [] });
});

test.each([
  ['secret', 'an entry without key=value was ignored'],
  ['=secret', 'an entry without key=value was ignored'],
  ['token=secret%zz', 'token was ignored: bad percent-encoding'],
])('%s is told about without its value', (text, problem) => {
  expect(parseKeyValueList(`${text},a=1`)).toEqual({ pairs: { a: '1' }, problems: [problem] });
});
