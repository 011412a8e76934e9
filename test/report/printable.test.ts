import fc from 'fast-check';
import { expect, test } from 'vitest';
import { printable } from '../../src/report/printable.ts';

test.each([
  ['chromium', 'chromium'],
  ['naïve café 漢字', 'naïve café 漢字'],
  ['a\u001b[2Jb', 'a\\x1b[2Jb'],
  ['one\ntwo\ttab\u0000', 'one\\x0atwo\\x09tab\\x00'],
  ['\u007f', '\\x7f'],
  // C1: a single-byte CSI.
  ['\u009b31m', '\\x9b31m'],
  // Right-to-left override.
  ['evil\u202egnp.exe', 'evil\\u202egnp.exe'],
])('%j is printed as %j', (text, printed) => {
  expect(printable(text)).toBe(printed);
});

test('twice is the same as once', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(printable(printable(text))).toBe(printable(text));
    }),
  );
});
