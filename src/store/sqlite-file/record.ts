/** What SQLite stores in one column. */
export type StoredValue = null | number | string | Buffer;

/** A number of SQLite's that takes 1 to 9 bytes, and where what follows it begins. */
export interface Varint {
  value: number;
  end: number;
}

/** Null when the bytes end within it, or when it is larger than any size or key of ours. */
export function readVarint(bytes: Buffer, start: number): Varint | null {
  let value = 0;
  for (let length = 1; length <= 8; length++) {
    const byte = bytes[start + length - 1];
    if (byte === undefined) return null;
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80)
      return value <= Number.MAX_SAFE_INTEGER ? { value, end: start + length } : null;
  }
  // Nine bytes: a negative number, or one of 2^56 and more.
  return null;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * The values of a row (sqlite.org/fileformat2.html, "Record Format"). Null when the bytes are no
 * row: every length in it has to add up.
 */
export function readRecord(bytes: Buffer): StoredValue[] | null {
  const head = readVarint(bytes, 0);
  if (head === null || head.value > bytes.length) return null;
  const values: StoredValue[] = [];
  let at = head.value;
  let typeAt = head.end;
  while (typeAt < head.value) {
    const type = readVarint(bytes, typeAt);
    if (type === null || type.end > head.value) return null;
    typeAt = type.end;
    const length = contentBytes(type.value);
    if (length === null || at + length > bytes.length) return null;
    const value = readValue(type.value, bytes.subarray(at, at + length));
    if (value === undefined) return null;
    values.push(value);
    at += length;
  }
  return at === bytes.length ? values : null;
}

const fixedBytes = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0];

function contentBytes(type: number): number | null {
  if (type >= 12) return Math.floor((type - 12) / 2);
  return fixedBytes[type] ?? null;
}

/** Undefined for a text that is none, and for a number that a recorder does not write. */
function readValue(type: number, content: Buffer): StoredValue | undefined {
  switch (type) {
    case 0:
      return null;
    case 6:
      return readLong(content);
    case 7:
      return content.readDoubleBE(0);
    case 8:
      return 0;
    case 9:
      return 1;
    default:
      if (type < 7) return content.readIntBE(0, content.length);
      return type % 2 === 0 ? Buffer.from(content) : readText(content);
  }
}

function readLong(content: Buffer): number | undefined {
  const long = Number(content.readBigInt64BE(0));
  return Number.isSafeInteger(long) ? long : undefined;
}

function readText(content: Buffer): string | undefined {
  try {
    return utf8.decode(content);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
