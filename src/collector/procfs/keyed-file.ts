/** Finds `key` at the start of a line and the number behind it, in files such as meminfo. */
export class KeyedFileParser<Name extends string> {
  readonly #keys: readonly { name: Name; pattern: string }[];

  /** `keys` maps our names to the kernel's, with the character that follows it (`MemFree:`, `oom_kill `). */
  constructor(keys: Readonly<Record<Name, string>>) {
    this.#keys = (Object.entries(keys) as [Name, string][]).map(([name, key]) => ({
      name,
      pattern: `\n${key}`,
    }));
  }

  /**
   * The numbers as the file has them, in its own unit; null for a key that is not there.
   * The search is native code: faster than a loop over bytes in a V8 without its compiler.
   */
  parse(buffer: Buffer, length: number): Record<Name, number | null> {
    // The very first line has no line feed before it.
    const text = `\n${buffer.toString('latin1', 0, length)}`;
    const values = {} as Record<Name, number | null>;
    let from = 0;
    this.#keys.forEach(({ name, pattern }) => {
      let at = text.indexOf(pattern, from);
      if (at < 0) at = text.indexOf(pattern);
      values[name] = at < 0 ? null : unsignedAt(text, at + pattern.length);
      if (at >= 0) from = at;
    });
    return values;
  }
}

// 2^64 − 1 has 20 digits; a longer row of them is nothing that a kernel writes.
const unsigned = /[ \t]*(\d{1,20})(?!\d)/y;

/** The number at an offset, blanks before it skipped; null when there is none. */
export function unsignedAt(text: string, offset: number): number | null {
  unsigned.lastIndex = offset;
  const digits = unsigned.exec(text)?.[1];
  return digits === undefined ? null : Number(digits);
}
