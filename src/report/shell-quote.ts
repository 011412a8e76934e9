import { printable } from './printable.ts';

const needsNoQuotes = /^[\p{L}\p{N}_@%+=:,./-]+$/u;

/**
 * A file name as one word of a command line, to be pasted into a shell and safe to print on a
 * terminal. Control characters need `$'…'`, which bash, zsh and POSIX.1-2024 have.
 */
export function shellQuote(path: string): string {
  // Else it would be taken for a flag.
  const word = path.startsWith('-') ? `./${path}` : path;
  if (!isPrintable(word)) return `$'${[...word].map(escaped).join('')}'`;
  return needsNoQuotes.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

// Bytes in octal, three digits each: after `\x` a digit that follows would count, and `\u` depends on
// the locale.
function escaped(character: string): string {
  if (character === "'" || character === '\\') return `\\${character}`;
  if (isPrintable(character)) return character;
  return [...Buffer.from(character)]
    .map((byte) => `\\${byte.toString(8).padStart(3, '0')}`)
    .join('');
}

function isPrintable(text: string): boolean {
  return printable(text) === text;
}
