import { createRequire } from 'node:module';
import { isPageSize } from '../sqlite-file/database-header.ts';

/**
 * What stands behind the last page of a sealed recording, where SQLite never looks: a checksum of
 * each page, and a footer that vouches for them. docs/checksums.md describes the bytes.
 */
export interface Footer {
  pageSizeBytes: number;
  pageCount: number;
  /** Of the database when it was sealed: a program that wrote to it since has moved it on. */
  changeCounter: number;
  /** Digest of all checksums of pages. */
  sumsDigest: Buffer;
}

export const footerBytes = 64;
export const sumBytes = 8;
const sumDigits = /.{16}/g;
const digestBytes = 16;
const magic = 'headroom seal 1\n';
const digestOffset = footerBytes - digestBytes;

/** The checksum of a page: the first bytes of its SHA-256, as hex. A buffer would take twice the time. */
export function pageSum(page: Buffer): string {
  return sha256(page).slice(0, 2 * sumBytes);
}

/** What {@link pageSum} said of each page, out of the bytes that are kept of them. */
export function sealedSums(sums: Buffer): string[] {
  return sums.toString('hex').match(sumDigits) ?? [];
}

export function digestOf(bytes: Buffer): Buffer {
  return Buffer.from(sha256(bytes), 'hex').subarray(0, digestBytes);
}

const require = createRequire(import.meta.url);
let crypto: typeof import('node:crypto') | null = null;

// Loaded when a file is sealed: half a MiB that a recorder needs at its end only.
function sha256(bytes: Buffer): string {
  crypto ??= require('node:crypto') as typeof import('node:crypto');
  // In one call, which is cheaper, from Node.js 20.12 on.
  return typeof crypto.hash === 'function'
    ? crypto.hash('sha256', bytes, 'hex')
    : crypto.createHash('sha256').update(bytes).digest('hex');
}

export function encodeFooter(footer: Footer): Buffer {
  const bytes = Buffer.alloc(footerBytes);
  bytes.write(magic, 'latin1');
  bytes.writeUInt32BE(footer.pageSizeBytes, 16);
  bytes.writeUInt32BE(footer.pageCount, 20);
  bytes.writeUInt32BE(footer.changeCounter, 24);
  footer.sumsDigest.copy(bytes, 32);
  digestOf(bytes.subarray(0, digestOffset)).copy(bytes, digestOffset);
  return bytes;
}

/** Null when these bytes are no footer, or when one of them was changed. */
export function decodeFooter(bytes: Buffer): Footer | null {
  const isWhole =
    bytes.length === footerBytes &&
    bytes.subarray(0, magic.length).toString('latin1') === magic &&
    digestOf(bytes.subarray(0, digestOffset)).equals(bytes.subarray(digestOffset));
  if (!isWhole) return null;
  const pageSizeBytes = bytes.readUInt32BE(16);
  if (!isPageSize(pageSizeBytes)) return null;
  return {
    pageSizeBytes,
    pageCount: bytes.readUInt32BE(20),
    changeCounter: bytes.readUInt32BE(24),
    sumsDigest: bytes.subarray(32, 32 + digestBytes),
  };
}

/** Where the checksums of the pages begin. */
export function sumsOffset({ pageSizeBytes, pageCount }: Footer): number {
  return pageSizeBytes * pageCount;
}

/** The length of a sealed file. */
export function sealedBytes(footer: Footer): number {
  return sumsOffset(footer) + footer.pageCount * sumBytes + footerBytes;
}
