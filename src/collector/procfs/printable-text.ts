const utf8 = new TextDecoder('utf-8', { fatal: true });
// Made once: without its compiler V8 makes a literal anew each time.
const unusual = /[^ -[\]-~]/;

/**
 * Bytes from the kernel as text that is valid UTF-8, prints on one line, and differs wherever the
 * bytes differ: what is not printable UTF-8 becomes `\xNN`, a backslash becomes `\\`.
 * A process can give itself any 15 bytes as its name.
 */
export function printableText(buffer: Buffer, start: number, end: number): string {
  const plain = buffer.toString('latin1', start, end);
  // The usual case, told by one native test.
  if (!unusual.test(plain)) return plain;
  let text = '';
  let at = start;
  while (at < end) {
    const length = sequenceLength(buffer[at] ?? 0);
    const character = decode(buffer.subarray(at, Math.min(at + length, end)));
    text += character ?? escapeByte(buffer[at] ?? 0);
    at += character === null ? 1 : length;
  }
  return text;
}

/** The same for text that holds one byte in each character, as the latin1 of Node.js does. */
export function printableLatin1(text: string): string {
  if (!unusual.test(text)) return text;
  // What is above U+00FF was put in by us.
  return text.replace(/[^\u0100-\uffff]+/g, (part) => {
    const bytes = Buffer.from(part, 'latin1');
    return printableText(bytes, 0, bytes.length);
  });
}

function decode(bytes: Uint8Array): string | null {
  let character: string;
  try {
    character = utf8.decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
  if (character === '\\') return '\\\\';
  // Control and format characters, line separators, private use and unassigned ones.
  return /^[^\p{C}\p{Zl}\p{Zp}]$/u.test(character) ? character : null;
}

function sequenceLength(lead: number): number {
  if (lead >= 0xf0) return 4;
  if (lead >= 0xe0) return 3;
  return lead >= 0xc0 ? 2 : 1;
}

function escapeByte(byte: number): string {
  return `\\x${byte.toString(16).padStart(2, '0')}`;
}
