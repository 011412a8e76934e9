import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HelperOutput } from '../../../src/collector/exits/helper-output.ts';

test('lines in any pieces are the same lines', () => {
  const text = 'ready\nexit 4120 35072 1960298288386\nexit 7 9 1960298288387\n';
  fc.assert(
    fc.property(fc.array(fc.nat(text.length)), (cuts) => {
      const output = new HelperOutput();
      const at = [0, ...cuts.sort((a, b) => a - b), text.length];
      for (const [index, from] of at.entries())
        output.push(text.slice(from, at[index + 1] ?? from));
      expect(output.drain()).toEqual([
        { pid: 4120, waitStatus: 35072, kernelMs: expect.closeTo(1_960_298.288386, 6) },
        { pid: 7, waitStatus: 9, kernelMs: expect.closeTo(1_960_298.288387, 6) },
      ]);
      expect(output.counters).toEqual({ overruns: 0, dropped: 0, malformed: 0 });
    }),
  );
});

test('what was drained is gone', () => {
  const output = new HelperOutput();
  output.push('exit 1 0 1\n');
  expect(output.drain()).toHaveLength(1);
  expect(output.drain()).toEqual([]);
});

test.each([
  ['overrun\noverrun\n', { overruns: 2, dropped: 0, malformed: 0 }],
  ['exit 1 0\nexit x 0 1\nexit 1 0 1 \n\nEXIT 1 0 1\n', { overruns: 0, dropped: 0, malformed: 5 }],
])('%j', (text, counters) => {
  const output = new HelperOutput();
  output.push(text);
  expect(output.counters).toEqual(counters);
  expect(output.drain()).toEqual([]);
});

test('a flood is counted, not kept', () => {
  const output = new HelperOutput();
  for (let count = 0; count < 100; count++) output.push('exit 1 0 1\n'.repeat(100));
  expect(output.drain()).toHaveLength(8192);
  expect(output.counters.dropped).toBe(10_000 - 8192);
});

test('a line without an end is not kept either', () => {
  const output = new HelperOutput();
  for (let count = 0; count < 1000; count++) output.push('x'.repeat(300));
  output.push('\nexit 5 0 1000000\n');
  expect(output.counters.malformed).toBeGreaterThanOrEqual(1000);
  expect(output.drain()).toEqual([{ pid: 5, waitStatus: 0, kernelMs: 1 }]);
});

describe('failures', () => {
  // Error numbers of uapi/asm-generic/errno.h.
  test.each([
    ['failed bind 1\n', 'bind: EPERM'],
    ['failed socket 93\n', 'socket: EPROTONOSUPPORT'],
    ['failed listen 111\n', 'listen: ECONNREFUSED'],
    ['failed answer 0\n', 'answer'],
    ['ready\n', null],
  ])('%j', (text, failure) => {
    const output = new HelperOutput();
    output.push(text);
    expect(output.failure).toBe(failure);
    expect(output.counters.malformed).toBe(0);
  });

  test('the first one counts', () => {
    const output = new HelperOutput();
    output.push('failed bind 1\nfailed listen 111\nnonsense\n');
    expect(output.failure).toBe('bind: EPERM');
    expect(output.counters.malformed).toBe(1);
  });
});

describe('any bytes', () => {
  const word = fc.constantFrom(
    'exit ',
    'failed ',
    'ready',
    'overrun',
    ' ',
    '\n',
    '-1',
    '9'.repeat(30),
  );
  const noise = fc.uint8Array().map((bytes) => Buffer.from(bytes).toString('latin1'));

  test('never throw, and never give what is not a number', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(word, noise, fc.nat().map(String))), (pieces) => {
        const output = new HelperOutput();
        for (const piece of pieces) output.push(piece);
        for (const exit of output.drain()) {
          expect(Object.values(exit).every((value) => Number.isFinite(value) && value >= 0)).toBe(
            true,
          );
        }
      }),
    );
  });
});
