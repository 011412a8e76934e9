import { describe, expect, test } from 'vitest';
import { cellsOf, cutTo, fitTo } from '../../../src/report/terminal/text-width.ts';

describe('cells of a terminal', () => {
  test.each([
    ['chromium', 8],
    // UAX #11: ideographs, kana, hangul and fullwidth forms are W or F, halfwidth kana is not.
    ['浏览器', 6],
    ['ブラウザ', 8],
    ['크롬', 4],
    ['ＡＢ', 4],
    ['ﾌﾞ', 2],
    ['🦊', 2],
    ['é', 1],
  ])('%s takes %d', (text, cells) => {
    expect(cellsOf(text)).toBe(cells);
  });

  test('a text is filled or cut to a width, never in the middle of a sign', () => {
    expect(fitTo('ab', 4)).toBe('ab  ');
    expect(fitTo('ab', 4, 'right')).toBe('  ab');
    expect(fitTo('abcdef', 4)).toBe('abc…');
    expect(fitTo('浏览器', 5)).toBe('浏览…');
    expect(fitTo('浏览器', 4)).toBe('浏… ');
    expect(cutTo('abc', 0)).toBe('');
  });

  test('nothing steers the terminal, or takes no cell', () => {
    expect(cutTo('a\u001b[2Jb', 20)).toBe('a\\x1b[2Jb');
    expect(cutTo('a\u202eb', 20)).toBe('a\\u202eb');
    expect(cutTo('e\u0301\u200b\ufe0f', 20)).toBe('e');
  });
});
