import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bar, joinLines, table, wrap } from '../../src/report/text-layout.ts';

test('prose breaks between words and hangs under its lead', () => {
  expect(wrap('one two three four', { columns: 12, lead: '  - ' })).toEqual([
    '  - one two',
    '    three',
    '    four',
  ]);
});

test('a word longer than the line breaks within', () => {
  expect(wrap('abcdefghij', { columns: 4 })).toEqual(['abcd', 'efgh', 'ij']);
});

test('no line is wider than asked, and no character is lost', () => {
  fc.assert(
    fc.property(fc.string(), fc.integer({ min: 5, max: 80 }), (text, columns) => {
      const lines = wrap(text, { columns, lead: '- ' });
      for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns);
      const letters = (part: string) => part.replaceAll(' ', '');
      expect(letters(lines.join(' ').slice(2))).toBe(letters(text));
    }),
  );
});

test('a table lines its columns up', () => {
  expect(
    table([
      ['', 'p50'],
      ['working set', '1.00 GiB'],
    ]),
  ).toEqual(['                    p50', '  working set  1.00 GiB']);
});

test.each([
  [0, 0, '··········'],
  [0.5, 0.8, '█████▒▒▒··'],
  [1, 1, '██████████'],
  // A working set may be a little above its limit.
  [0.9, 1.3, '█████████▒'],
])('a bar of %d and %d is %s', (usual, most, text) => {
  expect(bar({ usual, most }, 10)).toBe(text);
});

test('colour is for whole lines, and foreign escapes never get through', () => {
  const lines = [{ text: 'bad \u001b[5mcomm', tone: 'bad' as const }, { text: 'plain' }];
  expect(joinLines(lines, { color: true })).toBe('\u001b[31mbad \\x1b[5mcomm\u001b[0m\nplain\n');
  expect(joinLines(lines, { color: false })).toBe('bad \\x1b[5mcomm\nplain\n');
});
