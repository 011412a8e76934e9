import { closeSync, fsyncSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { errnoOf, HeadroomError } from '../../model/errors.ts';
import type { Database } from '../driver.ts';
import { openForChange } from '../open-for-change.ts';
import { readingError } from '../reading-error.ts';
import { databaseHeaderBytes, parseDatabaseHeader } from '../sqlite-file/database-header.ts';
import { readBytes, readPages } from '../sqlite-file/read-bytes.ts';
import { digestOf, encodeFooter, pageSum, sumBytes } from './seal-format.ts';

// Whoever has the file at this moment may go on with it: then it stays as it is.
const busyTimeoutMs = 0;

/**
 * Puts a checksum of every page behind the last one, so that a byte that is changed on the way to
 * somebody is found; SQLite does not look there. False when the file still has its log, and is
 * therefore not whole by itself. STORE_BUSY when somebody writes to it, STORE_FULL,
 * FILE_NOT_WRITABLE, FILE_CORRUPT.
 *
 * No other part of this process may have the file open: closing it here drops their locks.
 */
export function sealFile(path: string): boolean {
  let file: number | null = null;
  try {
    const db = openForChange(path, { busyTimeoutMs });
    try {
      if (db.pragma('journal_mode', { simple: true }) === 'wal') return false;
      // Keeps others from writing until the checksums are those of what is in the file.
      db.exec('BEGIN IMMEDIATE');
      file = openSync(path, 'r+');
      writeSeal(file, db);
      db.exec('ROLLBACK');
      return true;
    } finally {
      db.close();
    }
  } catch (error) {
    throw writingError(readingError(error, path), path);
  } finally {
    // Not before SQLite has closed it, whose locks would be gone.
    if (file !== null) closeSync(file);
  }
}

function writeSeal(file: number, db: Database): void {
  const header = parseDatabaseHeader(readBytes(file, Buffer.alloc(databaseHeaderBytes), 0));
  const pageCount = Number(db.pragma('page_count', { simple: true }));
  if (header === null) return;
  const { pageSizeBytes, changeCounter } = header;
  const sums = Buffer.alloc(pageCount * sumBytes);
  let at = 0;
  for (const page of readPages(file, { pageSizeBytes, pageCount })) {
    at += sums.write(pageSum(page), at, 'hex');
  }
  const sumsDigest = digestOf(sums);
  const footer = encodeFooter({ pageSizeBytes, pageCount, changeCounter, sumsDigest });
  appendAt(file, pageSizeBytes * pageCount, Buffer.concat([sums, footer]));
  fsyncSync(file);
}

/** All of it or, where there is no room, nothing. */
function appendAt(file: number, end: number, bytes: Buffer): void {
  ftruncateSync(file, end);
  try {
    for (let at = 0; at < bytes.length; ) {
      at += writeSync(file, bytes, at, bytes.length - at, end + at);
    }
  } catch (error) {
    ftruncateSync(file, end);
    throw error;
  }
}

function writingError(error: unknown, path: string): unknown {
  const errno = errnoOf(error);
  if (error instanceof HeadroomError || errno === null) return error;
  const isFull = errno === 'ENOSPC' || errno === 'EDQUOT';
  return new HeadroomError(
    isFull ? 'STORE_FULL' : 'FILE_NOT_WRITABLE',
    `${path}: ${isFull ? 'no space left for its checksums' : 'cannot be written'} (${errno})`,
    { hint: 'Free some space or choose another folder.', cause: error },
  );
}
