import { printable } from './printable.ts';

export type Tone = 'heading' | 'good' | 'warning' | 'bad' | 'faint';

/** One line of output, not yet coloured; a colour is for a whole line. */
export interface Line {
  text: string;
  tone?: Tone;
}

const escapes: Readonly<Record<Tone, string>> = {
  heading: '\u001b[1m',
  good: '\u001b[32m',
  warning: '\u001b[33m',
  bad: '\u001b[31m',
  faint: '\u001b[2m',
};
const reset = '\u001b[0m';

/** Lines as text. Only escapes of our own get through, and only with `color`. */
export function joinLines(lines: readonly Line[], { color }: { color: boolean }): string {
  const painted = lines.map(({ text, tone }) => {
    const safe = printable(text).trimEnd();
    return color && tone !== undefined ? `${escapes[tone]}${safe}${reset}` : safe;
  });
  return `${painted.join('\n')}\n`;
}

export interface WrapOptions {
  columns: number;
  /** Before the first line, such as `  - `; the following ones get as many blanks. */
  lead?: string;
}

/** Breaks prose between words, and within one only if it is longer than a line. */
export function wrap(text: string, { columns, lead = '' }: WrapOptions): string[] {
  const width = Math.max(1, columns - lead.length);
  const lines: string[] = [];
  let line = '';
  for (const word of printable(text)
    .split(' ')
    .flatMap((part) => chunks(part, width))) {
    if (line === '') line = word;
    else if (line.length + 1 + word.length <= width) line += ` ${word}`;
    else {
      lines.push(line);
      line = word;
    }
  }
  lines.push(line);
  const indent = ' '.repeat(lead.length);
  return lines.map((content, index) => `${index === 0 ? lead : indent}${content}`);
}

/** Rows under each other, the first column to the left, the others to the right, two blanks between. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const cells = rows.map((row) => row.map(printable));
  const widths: number[] = [];
  for (const row of cells) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, cell.length);
    });
  }
  return cells.map((row) => {
    const padded = row.map((cell, column) => {
      const width = widths[column] ?? 0;
      return column === 0 ? cell.padEnd(width) : cell.padStart(width);
    });
    return `  ${padded.join('  ')}`;
  });
}

/** A bar of `width` signs: full up to `usual`, half up to `most`, both as shares of the whole. */
export function bar({ usual, most }: { usual: number; most: number }, width: number): string {
  const mostSigns = signs(most, width);
  const usualSigns = Math.min(signs(usual, width), mostSigns);
  const half = '▒'.repeat(mostSigns - usualSigns);
  return `${'█'.repeat(usualSigns)}${half}${'·'.repeat(width - mostSigns)}`;
}

function signs(ratio: number, width: number): number {
  return Math.min(width, Math.max(0, Math.round(ratio * width)));
}

function chunks(word: string, width: number): string[] {
  if (word.length <= width) return [word];
  const parts: string[] = [];
  for (let at = 0; at < word.length; at += width) parts.push(word.slice(at, at + width));
  return parts;
}
