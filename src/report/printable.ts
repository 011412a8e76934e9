// C0, DEL and C1 control characters; marks and overrides of writing direction; line separators.
const unprintable =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not get through
  /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/**
 * Text that a terminal prints and does not obey: a process names itself, and a label comes from anywhere.
 * What is left out is written as `\xNN` or `\uNNNN`. Printable text comes back unchanged.
 */
export function printable(text: string): string {
  return text.replace(unprintable, (character) => {
    const code = character.charCodeAt(0);
    const digits = code.toString(16);
    return code < 0x100 ? `\\x${digits.padStart(2, '0')}` : `\\u${digits.padStart(4, '0')}`;
  });
}
