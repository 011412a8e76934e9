import { closeSync, fstatSync, openSync } from 'node:fs';
import type { OnCheckProgress } from '../check-progress.ts';
import {
  type DatabaseHeader,
  databaseHeaderBytes,
  parseDatabaseHeader,
} from '../sqlite-file/database-header.ts';
import { readBytes, readPages } from '../sqlite-file/read-bytes.ts';
import {
  decodeFooter,
  digestOf,
  type Footer,
  footerBytes,
  pageSum,
  sealedBytes,
  sealedSums,
  sumBytes,
  sumsOffset,
} from './seal-format.ts';

const tellEveryPages = 256;

/** What the checksums behind the last page say of a file. */
export type SealCheck =
  /** It has none. */
  | { state: 'none' }
  /** Every byte is what it was. */
  | { state: 'intact'; pageCount: number }
  /** A program wrote to the database since; the other pages are as they were. */
  | { state: 'outdated'; pageCount: number; changedPages: readonly number[] }
  /** The pages, by number, that are not what they were; none when the checksums are what is damaged. */
  | { state: 'damaged'; what: string; damagedPages: readonly number[] };

/** Compares a file with the checksums that it carries. Reads it all, a piece at a time. */
export function checkSeal(path: string, onProgress?: OnCheckProgress): SealCheck {
  return withEnds(path, (file, ends) => compare(file, ends, onProgress));
}

/**
 * What {@link checkSeal} says is damaged, in words; null: nothing, or its checksums no longer count, for
 * which it is not read.
 */
export function sealDamage(path: string): string | null {
  return withEnds(path, (file, ends) => {
    if (isOutdated(ends)) return null;
    const check = compare(file, ends);
    return check.state === 'damaged' ? check.what : null;
  });
}

/** Whether {@link checkSeal} says `outdated`, for which it is not read. */
export function isSealOutdated(path: string): boolean {
  return withEnds(path, (_, ends) => isOutdated(ends));
}

/** Whether there are checksums of a recording at its end, whatever became of the rest. */
export function isSealed(path: string): boolean {
  return withEnds(path, (_, { footer }) => footer !== null);
}

interface Ends {
  header: DatabaseHeader | null;
  footer: Footer | null;
  sizeBytes: number;
}

function withEnds<T>(path: string, use: (file: number, ends: Ends) => T): T {
  const file = openSync(path, 'r');
  try {
    const sizeBytes = fstatSync(file).size;
    const header = parseDatabaseHeader(readBytes(file, Buffer.alloc(databaseHeaderBytes), 0));
    return use(file, { header, footer: readFooter(file, sizeBytes), sizeBytes });
  } finally {
    closeSync(file);
  }
}

/** Null when the file does not end with one. */
function readFooter(file: number, sizeBytes: number): Footer | null {
  if (sizeBytes < footerBytes) return null;
  return decodeFooter(readBytes(file, Buffer.alloc(footerBytes), sizeBytes - footerBytes));
}

function compare(file: number, ends: Ends, onProgress?: OnCheckProgress): SealCheck {
  const { header, footer, sizeBytes } = ends;
  return footer === null
    ? withoutFooter(header, sizeBytes)
    : withFooter(file, { ...ends, footer, onProgress });
}

function withoutFooter(header: DatabaseHeader | null, sizeBytes: number): SealCheck {
  // While a log is in use the header may be behind the file.
  if (header === null || header.usesLog || header.pageCount === null) return { state: 'none' };
  const end = header.pageCount * header.pageSizeBytes;
  // Pages that a program added may have left some of its bytes.
  if (sizeBytes - end < footerBytes) return { state: 'none' };
  return { state: 'damaged', what: 'its checksums are damaged or cut off', damagedPages: [] };
}

interface Sealed extends Ends {
  footer: Footer;
  onProgress: OnCheckProgress | undefined;
}

function withFooter(file: number, sealed: Sealed): SealCheck {
  const { footer, sizeBytes, onProgress } = sealed;
  const { pageCount } = footer;
  const isChanged = isOutdated(sealed);
  const sums = Buffer.alloc(pageCount * sumBytes);
  const isLengthRight = sizeBytes === sealedBytes(footer);
  const areSumsRight =
    isLengthRight && digestOf(readBytes(file, sums, sumsOffset(footer))).equals(footer.sumsDigest);
  if (areSumsRight) {
    const differing = differingPages(file, { footer, sums, onProgress });
    if (isChanged) return { state: 'outdated', pageCount, changedPages: differing };
    if (differing.length === 0) return { state: 'intact', pageCount };
    const what = `${differing.length} of its ${pageCount} pages are not what they were when it was sealed`;
    return { state: 'damaged', what, damagedPages: differing };
  }
  // The database has grown over its checksums.
  if (isChanged) return { state: 'outdated', pageCount, changedPages: [] };
  const what = isLengthRight ? 'its checksums are damaged' : 'a part of it is missing or was added';
  return { state: 'damaged', what, damagedPages: [] };
}

function isOutdated({ header, footer }: Ends): boolean {
  if (header === null || footer === null) return false;
  return header.pageCount !== null && header.changeCounter !== footer.changeCounter;
}

interface Compared {
  footer: Footer;
  sums: Buffer;
  onProgress: OnCheckProgress | undefined;
}

function differingPages(file: number, { footer, sums, onProgress }: Compared): number[] {
  const differing: number[] = [];
  const known = sealedSums(sums);
  let number = 0;
  for (const page of readPages(file, footer)) {
    if (number % tellEveryPages === 0) onProgress?.('checksums', number / footer.pageCount);
    if (pageSum(page) !== known[number++]) differing.push(number);
  }
  return differing;
}
