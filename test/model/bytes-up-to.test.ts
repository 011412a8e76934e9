import { expect, test } from 'vitest';
import { bytesUpTo } from '../../src/model/bytes-up-to.ts';

test.each([
  [[], '', true],
  [['ab', 'c'], 'abc', true],
  [['ab', 'cd'], 'abcd', true],
  [['ab', 'cd', 'e', 'f'], 'abcde', false],
  [['abcdef'], 'abcdef', false],
])('four bytes at most of %j', async (chunks, text, isAll) => {
  async function* given() {
    yield* chunks.map((chunk) => Buffer.from(chunk));
  }
  expect(await bytesUpTo(given(), 4)).toEqual({ bytes: Buffer.from(text), isAll });
});

test('what has no end is left', async () => {
  let count = 0;
  let isLeft = false;
  async function* endless() {
    try {
      for (;;) {
        count++;
        yield Buffer.alloc(1_000);
      }
    } finally {
      isLeft = true;
    }
  }
  expect(await bytesUpTo(endless(), 4_000)).toMatchObject({ isAll: false });
  expect([count, isLeft]).toEqual([5, true]);
});
