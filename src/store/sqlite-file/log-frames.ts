import { isPageSize } from './database-header.ts';
import { readBytes } from './read-bytes.ts';

/** The head of a log, `FILE-wal` (sqlite.org/fileformat2.html, "The Write-Ahead Log"). */
export interface LogHeader {
  /** Its own checksum is right. */
  isWhole: boolean;
  pageSizeBytes: number;
  /** Two numbers that every frame of this round repeats; older frames behind it have others. */
  salts: Salts;
  sums: Sums;
  isBigEndian: boolean;
}

export type Salts = readonly [number, number];
export type Sums = readonly [number, number];

/** The new content of one page. */
export interface Frame {
  /** From 0. */
  index: number;
  page: number;
  /** Pages of the database after the transaction that ends with this frame; 0: it does not end one. */
  pageCountAtCommit: number;
  salts: Salts;
  /** Its checksum, which goes on from that of the frame before, is right. */
  isWhole: boolean;
  /** Where in the log the content of the page begins. */
  contentOffset: number;
}

export const logHeaderBytes = 32;
const frameHeaderBytes = 24;
const littleEndianMagic = 0x377f0682;
const bigEndianMagic = 0x377f0683;

/**
 * Null when the log ends within its head. Where the head is damaged, the page size is that of the
 * database.
 */
export function readLogHeader(file: number, databasePageSizeBytes: number): LogHeader | null {
  const bytes = readBytes(file, Buffer.alloc(logHeaderBytes), 0);
  if (bytes.length < logHeaderBytes) return null;
  const magic = bytes.readUInt32BE(0);
  const isBigEndian = magic === bigEndianMagic;
  const sums = sumsAt(bytes, 24);
  const storedPageSizeBytes = bytes.readUInt32BE(8);
  const isWhole =
    (isBigEndian || magic === littleEndianMagic) &&
    isPageSize(storedPageSizeBytes) &&
    areEqual(addSums([0, 0], bytes.subarray(0, 24), isBigEndian), sums);
  return {
    isWhole,
    pageSizeBytes: isWhole ? storedPageSizeBytes : databasePageSizeBytes,
    salts: [bytes.readUInt32BE(16), bytes.readUInt32BE(20)],
    sums,
    isBigEndian,
  };
}

/**
 * The frames of a log from its first; one that is cut is left out. Each is checked against the
 * checksum that the one before it carries, so that one that is damaged does not spoil the next.
 */
export function* readFrames(file: number, header: LogHeader): Generator<Frame> {
  const buffer = Buffer.alloc(frameHeaderBytes + header.pageSizeBytes);
  let before = header.sums;
  for (let index = 0; ; index++) {
    const offset = logHeaderBytes + index * buffer.length;
    if (readBytes(file, buffer, offset).length < buffer.length) return;
    const sums = sumsAt(buffer, 16);
    const own = addSums(before, buffer.subarray(0, 8), header.isBigEndian);
    const right = addSums(own, buffer.subarray(frameHeaderBytes), header.isBigEndian);
    yield {
      index,
      page: buffer.readUInt32BE(0),
      pageCountAtCommit: buffer.readUInt32BE(4),
      salts: [buffer.readUInt32BE(8), buffer.readUInt32BE(12)],
      isWhole: areEqual(right, sums),
      contentOffset: offset + frameHeaderBytes,
    };
    before = sums;
  }
}

function sumsAt(bytes: Buffer, offset: number): Sums {
  return [bytes.readUInt32BE(offset), bytes.readUInt32BE(offset + 4)];
}

function areEqual(left: Sums, right: Sums): boolean {
  return left[0] === right[0] && left[1] === right[1];
}

/** SQLite's checksum of a log, over pairs of 32-bit words; a changed word always changes it. */
function addSums([start, next]: Sums, bytes: Buffer, isBigEndian: boolean): Sums {
  const words = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let s1 = start;
  let s2 = next;
  for (let at = 0; at < bytes.length; at += 8) {
    s1 = (s1 + words.getUint32(at, !isBigEndian) + s2) >>> 0;
    s2 = (s2 + words.getUint32(at + 4, !isBigEndian) + s1) >>> 0;
  }
  return [s1, s2];
}
