import { expect, test } from 'vitest';
import { parseOomScoreAdj } from '../../../src/collector/procfs/oom-score-adj.ts';

function parse(text: string) {
  const bytes = Buffer.from(text);
  return parseOomScoreAdj(bytes, bytes.length);
}

test.each([
  ['0\n', 0],
  ['300\n', 300],
  ['-1000\n', -1_000],
  ['1000', 1_000],
])('%j', (text, adjustment) => {
  expect(parse(text)).toBe(adjustment);
});

test.each(['', '\n', '-', '1001\n', '3.5', '1e2', '-0x1', '12345', '1\n2\n', 'abc'])(
  '%j is none',
  (text) => {
    expect(parse(text)).toBeNull();
  },
);
