import { expect, test } from 'vitest';
import { KeyedFileParser } from '../../../src/collector/procfs/keyed-file.ts';

const parser = new KeyedFileParser({ first: 'First:', second: 'Second:', word: 'word ' });

function parse(text: string, length = Buffer.byteLength(text)) {
  return parser.parse(Buffer.from(text), length);
}

test.each([
  ['in order', 'First: 1 kB\nSecond:\t 22 kB\nword 333\n', [1, 22, 333]],
  ['in any other order', 'word 333\nSecond: 22\nFirst:1', [1, 22, 333]],
  ['only as a whole word at the start of a line', 'xFirst: 1\n Second: 2\nwords 3', []],
  ['zero', 'First: 0 kB\n', [0]],
  ['no number', 'First: kB\nSecond: -5\nword x\n', []],
  ['2^53 and above, as near as a double is', 'First: 9007199254740993\n', [2 ** 53]],
  ['2^64 − 1', 'First: 18446744073709551615\n', [2 ** 64]],
  ['more digits than any kernel number has', `First: ${'9'.repeat(400)}\n`, []],
  ['nothing', '', []],
] as [string, string, number[]][])('%s', (_, text, [first, second, word]) => {
  expect(parse(text)).toEqual({
    first: first ?? null,
    second: second ?? null,
    word: word ?? null,
  });
});

test('bytes behind the length do not count', () => {
  expect(parse('First: 1\nSecond: 2\n', 'First: 1\n'.length)).toEqual({
    first: 1,
    second: null,
    word: null,
  });
  expect(parse('First: 123\n', 'First: 12'.length).first).toBe(12);
});
