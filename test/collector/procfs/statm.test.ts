import { expect, test } from 'vitest';
import { parseStatm } from '../../../src/collector/procfs/statm.ts';
import { caseBytes } from '../../support/cases.ts';

function parse(text: string | Buffer) {
  const bytes = Buffer.from(text);
  return parseStatm(bytes, bytes.length);
}

test.each([
  ['a process', '56218 18095 11200 57000 0 9000 0\n', { residentPages: 18095, sharedPages: 11200 }],
  // 256 GiB in pages of 4 KiB: more than 2^26 pages, more than 2^31 bytes.
  ['a large one', '90000000 67108864 5 0 0 0 0\n', { residentPages: 67108864, sharedPages: 5 }],
  ['swapped out', '500 0 0 0 0 0 0\n', { residentPages: 0, sharedPages: 0 }],
])('%s', (_, text, statm) => {
  expect(parse(text)).toEqual(statm);
});

test.each(['kthread', 'zombie'])('case 003: the memory of a %s is missing, not 0', (kind) => {
  expect(parse(caseBytes(`003-kthread-and-zombie-have-no-memory/${kind}/statm`))).toBeNull();
});

test.each(['', '1 2', 'a b c', '1 2 x', '1 1e999 2', '0.5 1 1'])('%j is no statm', (text) => {
  expect(parse(text)).toBeNull();
});
