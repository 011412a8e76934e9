/** One record of the kernel log. Strings hold one byte per character (latin1). */
export interface KmsgRecord {
  /** syslog facility; 0 is the kernel itself, and the kernel refuses it to user space. */
  facility: number;
  /** syslog level, 0 (emergency) to 7 (debug). */
  level: number;
  /** Counts every record of this boot; a hole is a record that was overwritten. */
  sequence: number;
  /** printk's clock, microseconds since boot. */
  timeUs: number;
  text: string;
}

/**
 * Takes apart what one read(2) of /dev/kmsg gives: `priority,sequence,µs,flags[,more];text\n`,
 * then perhaps ` KEY=value` lines, which are left out (Documentation/ABI/testing/dev-kmsg).
 * `raw` is latin1. Null when the bytes are not such a record; never throws.
 */
export function parseKmsgRecord(raw: string): KmsgRecord | null {
  const prefix = /^(\d{1,10}),(\d{1,16}),(\d{1,16})(?:,[^;\n]*)?;/.exec(raw);
  if (prefix === null) return null;
  const priority = Number(prefix[1]);
  const lineEnd = raw.indexOf('\n', prefix[0].length);
  return {
    facility: Math.floor(priority / 8),
    level: priority % 8,
    sequence: Number(prefix[2]),
    timeUs: Number(prefix[3]),
    text: unescaped(raw.slice(prefix[0].length, lineEnd < 0 ? raw.length : lineEnd)),
  };
}

// The kernel writes control bytes, bytes from 127 and the backslash itself as \xNN.
function unescaped(text: string): string {
  if (!text.includes('\\x')) return text;
  return text.replace(/\\x([0-9a-f]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
