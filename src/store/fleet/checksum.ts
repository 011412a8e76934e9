import { createHash } from 'node:crypto';
import { closeSync, existsSync, fstatSync, openSync, statSync } from 'node:fs';
import { readError } from '../database-file.ts';
import { decodeFooter, footerBytes, sealedBytes } from '../seal/seal-format.ts';
import { databaseHeaderBytes, parseDatabaseHeader } from '../sqlite-file/database-header.ts';
import { readBytes } from '../sqlite-file/read-bytes.ts';

const pieceBytes = 2 ** 20;

/**
 * The digest of the checksums that a sealed recording carries (docs/checksums.md), for which its end is
 * read and no more: two copies have the same. Null without them, and where a program wrote to the file
 * since. FILE_NOT_FOUND, FILE_NOT_READABLE.
 */
export function sealChecksum(path: string): string | null {
  // A pipe would be waited for.
  const isFile = statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
  if (!isFile || existsSync(`${path}-wal`)) return null;
  return withFile(path, (file) => {
    const sizeBytes = fstatSync(file).size;
    if (sizeBytes < footerBytes + databaseHeaderBytes) return null;
    const end = sizeBytes - footerBytes;
    const footer = decodeFooter(readBytes(file, Buffer.alloc(footerBytes), end));
    const header = parseDatabaseHeader(readBytes(file, Buffer.alloc(databaseHeaderBytes), 0));
    if (footer === null || sizeBytes !== sealedBytes(footer)) return null;
    const isAsSealed = header?.changeCounter === footer.changeCounter;
    return isAsSealed ? `seal:${footer.sumsDigest.toString('hex')}` : null;
  });
}

/** The SHA-256 of a file and the log beside it. FILE_NOT_FOUND, FILE_NOT_READABLE. */
export function bytesChecksum(path: string): string {
  const hash = createHash('sha256');
  const piece = Buffer.alloc(pieceBytes);
  for (const part of [path, `${path}-wal`]) {
    if (part !== path && !existsSync(part)) continue;
    withFile(part, (file) => {
      const sizeBytes = fstatSync(file).size;
      for (let at = 0; at < sizeBytes; at += pieceBytes) {
        const bytes = piece.subarray(0, Math.min(pieceBytes, sizeBytes - at));
        hash.update(readBytes(file, bytes, at));
      }
    });
  }
  return `sha256:${hash.digest('hex')}`;
}

function withFile<T>(path: string, read: (file: number) => T): T {
  try {
    const file = openSync(path, 'r');
    try {
      return read(file);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw readError(error, path);
  }
}
