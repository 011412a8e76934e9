/** Finds `key` at the start of a line and the number behind it, in files such as meminfo. */
export class KeyedFileParser<Name extends string> {
  readonly #keys: readonly Key<Name>[];

  /** `keys` maps our names to the kernel's, with the character that follows it (`MemFree:`, `oom_kill `). */
  constructor(keys: Readonly<Record<Name, string>>) {
    this.#keys = (Object.entries(keys) as [Name, string][]).map(([name, key]) => ({
      name,
      key,
      pattern: `\n${key}`,
    }));
  }

  /**
   * The numbers as the file has them, in its own unit; null for a key that is not there.
   * The search is native code: faster than a loop over bytes in a V8 without its compiler.
   */
  parse(buffer: Buffer, length: number): Record<Name, number | null> {
    const text = buffer.toString('latin1', 0, length);
    const values = {} as Record<Name, number | null>;
    let from = 0;
    this.#keys.forEach((key) => {
      const at = lineOf(key, text, from);
      values[key.name] = at < 0 ? null : unsignedAt(text, at + key.key.length);
      if (at >= 0) from = at;
    });
    return values;
  }
}

interface Key<Name> {
  name: Name;
  key: string;
  /** The key on any line but the first. */
  pattern: string;
}

/** Where the line of the key begins; −1 without one. The keys mostly come in the order of the file. */
function lineOf({ key, pattern }: Key<string>, text: string, from: number): number {
  if (from > 0) {
    const at = text.indexOf(pattern, from);
    if (at >= 0) return at + 1;
  }
  if (text.startsWith(key)) return 0;
  const at = text.indexOf(pattern);
  return at < 0 ? -1 : at + 1;
}

// 2^64 − 1 has 20 digits; a longer row of them is nothing that a kernel writes.
const unsigned = /[ \t]*\d{1,20}(?!\d)/y;

/** The number at an offset, blanks before it skipped; null when there is none. */
export function unsignedAt(text: string, offset: number): number | null {
  unsigned.lastIndex = offset;
  // Tested and not executed: that makes no list of matches.
  return unsigned.test(text) ? Number(text.slice(offset, unsigned.lastIndex)) : null;
}
