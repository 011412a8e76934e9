import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { printableLatin1, printableText } from '../../../src/collector/procfs/printable-text.ts';

function print(bytes: string | Uint8Array): string {
  const buffer = Buffer.from(bytes);
  return printableText(buffer, 0, buffer.length);
}

test.each([
  ['plain', 'chromium', 'chromium'],
  ['blanks and parentheses', 'a) (b', 'a) (b'],
  ['letters of other languages', 'café Ж 中 🦊', 'café Ж 中 🦊'],
  ['a backslash', 'a\\xff', 'a\\\\xff'],
  ['control characters', 'a\n\t\0\x7f', 'a\\x0a\\x09\\x00\\x7f'],
  ['a line separator', 'a\u2028b', 'a\\xe2\\x80\\xa8b'],
  ['a change of direction', 'a\u202eb', 'a\\xe2\\x80\\xaeb'],
  ['a byte order mark', '\ufeffa', '\\xef\\xbb\\xbfa'],
  ['nothing', '', ''],
])('%s', (_, text, printed) => {
  expect(print(text)).toBe(printed);
});

test.each([
  ['case 011', [0x63, 0x61, 0x66, 0xc3, 0xa9, 0xff], 'café\\xff'],
  ['a character cut by the 15 bytes', [0x61, 0xe4, 0xb8], 'a\\xe4\\xb8'],
  ['an overlong slash', [0xc0, 0xaf], '\\xc0\\xaf'],
  ['half a surrogate pair', [0xed, 0xa0, 0x80], '\\xed\\xa0\\x80'],
  ['beyond Unicode', [0xf4, 0x90, 0x80, 0x80], '\\xf4\\x90\\x80\\x80'],
])('%s: bytes that are no UTF-8', (_, bytes, printed) => {
  expect(print(Uint8Array.from(bytes))).toBe(printed);
});

describe('any bytes', () => {
  // Mostly bytes that could be mistaken for an escape of another one.
  const tricky = [...'\\xx0af9 '].map((character) => character.charCodeAt(0));
  const byte = fc.oneof(
    fc.integer({ min: 0, max: 255 }),
    fc.constantFrom(...tricky, 0x0a, 0xc3, 0xa9, 0xff, 0xe2, 0x80, 0xa8),
  );
  const bytes = fc.array(byte, { maxLength: 30 }).map((values) => Uint8Array.from(values));

  test('can be had back, so that no two merge', () => {
    fc.assert(
      fc.property(bytes, (original) => {
        expect([...bytesOf(print(original))]).toEqual([...original]);
      }),
      { numRuns: 2_000 },
    );
  });

  test('give one line of valid UTF-8', () => {
    fc.assert(
      fc.property(bytes, (original) => {
        const text = print(original);
        expect(text).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
        expect(Buffer.from(text, 'utf8').toString('utf8')).toBe(text);
      }),
      { numRuns: 1_000 },
    );
  });
});

test.each([
  ['UTF-8 a byte in each character', Buffer.from('café 中').toString('latin1'), 'café 中'],
  ['bytes that are no UTF-8', 'caf\xe9', 'caf\\xe9'],
  ['a line feed', 'a\nb', 'a\\x0ab'],
  ['what was put in by us stays', 'token=… caf\xc3\xa9', 'token=… café'],
  ['a character that was cut in two by it', '\xc3…\xa9', '\\xc3…\\xa9'],
])('text of bytes: %s', (_, text, printed) => {
  expect(printableLatin1(text)).toBe(printed);
});

/** The way back, written against the description and not against the code. */
function bytesOf(printed: string): Uint8Array {
  const parts: number[] = [];
  for (const [token] of printed.matchAll(/\\\\|\\x[0-9a-f]{2}|[^\\]/gu)) {
    if (token === '\\\\') parts.push(0x5c);
    else if (token.startsWith('\\x')) parts.push(Number.parseInt(token.slice(2), 16));
    else parts.push(...Buffer.from(token, 'utf8'));
  }
  return Uint8Array.from(parts);
}
