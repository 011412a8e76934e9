import { printable } from '../printable.ts';

// East Asian Wide and Fullwidth by blocks (Unicode UAX #11), and what is drawn as a picture.
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}\p{Emoji_Presentation}]/u;
// Take no cell of their own, or make terminals disagree on how many the sign before takes.
const withoutWidth = /[\p{Mn}\p{Me}\p{Cf}]/gu;

/** Exactly `width` cells of a terminal: cut with `…` or filled with blanks; no control signs. */
export function fitTo(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  const cut = cutTo(text, width);
  const blanks = ' '.repeat(Math.max(0, width - cellsOf(cut)));
  return align === 'left' ? `${cut}${blanks}` : `${blanks}${cut}`;
}

/** At most `width` cells of a terminal; what is too long ends in `…`. */
export function cutTo(text: string, width: number): string {
  const safe = printable(text).replace(withoutWidth, '');
  if (cellsOf(safe) <= width) return safe;
  let cut = '';
  let left = width - 1;
  for (const sign of safe) {
    left -= cellOf(sign);
    if (left < 0) break;
    cut += sign;
  }
  return width < 1 ? '' : `${cut}…`;
}

/** How many cells of a terminal a text takes. */
export function cellsOf(text: string): number {
  let cells = 0;
  for (const sign of text) cells += cellOf(sign);
  return cells;
}

function cellOf(sign: string): number {
  return wide.test(sign) ? 2 : 1;
}
