import { closeSync, existsSync, fstatSync, openSync, statSync } from 'node:fs';
import { readError } from '../database-file.ts';
import {
  decodeFooter,
  digestOf,
  footerBytes,
  pageSum,
  sealedBytes,
  sealedSums,
  sumsOffset,
} from '../seal/seal-format.ts';
import { type DatabaseHeader, parseDatabaseHeader } from '../sqlite-file/database-header.ts';
import { readBytes } from '../sqlite-file/read-bytes.ts';

/** A sealed recording of which every byte is what it was when it got its checksums. */
export interface IntactFile {
  /** As `sealChecksum` gives it. */
  checksum: string;
  header: DatabaseHeader;
  /** All of its pages; valid until the next file is read. */
  pages: Buffer;
}

// A recording of two hours. What is larger is read page by page, for which there is `checkSeal`.
const mostBytes = 2 ** 23;

/** Reads files that are small into one buffer, so that each is read, and compared, once. */
export class IntactFiles {
  // Takes memory only as far as it was written to.
  readonly #buffer = Buffer.allocUnsafeSlow(mostBytes);

  /** Null: it is too large, has no checksums, or is not what they say. FILE_NOT_FOUND, FILE_NOT_READABLE. */
  read(path: string): IntactFile | null {
    // A pipe would be waited for.
    const isFile = statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
    if (!isFile || existsSync(`${path}-wal`)) return null;
    const bytes = this.#bytesOf(path);
    return bytes === null ? null : intactFile(bytes);
  }

  #bytesOf(path: string): Buffer | null {
    try {
      const file = openSync(path, 'r');
      try {
        const sizeBytes = fstatSync(file).size;
        if (sizeBytes < footerBytes || sizeBytes > mostBytes) return null;
        return readBytes(file, this.#buffer.subarray(0, sizeBytes), 0);
      } finally {
        closeSync(file);
      }
    } catch (error) {
      throw readError(error, path);
    }
  }
}

function intactFile(bytes: Buffer): IntactFile | null {
  const header = parseDatabaseHeader(bytes);
  const footer = decodeFooter(bytes.subarray(-footerBytes));
  if (header === null || footer === null || bytes.length !== sealedBytes(footer)) return null;
  if (header.changeCounter !== footer.changeCounter) return null;
  const pages = bytes.subarray(0, sumsOffset(footer));
  const sums = bytes.subarray(pages.length, -footerBytes);
  if (!digestOf(sums).equals(footer.sumsDigest)) return null;
  const { pageSizeBytes } = footer;
  const known = sealedSums(sums);
  for (let at = 0, index = 0; at < pages.length; at += pageSizeBytes, index++) {
    if (pageSum(pages.subarray(at, at + pageSizeBytes)) !== known[index]) return null;
  }
  return { checksum: `seal:${footer.sumsDigest.toString('hex')}`, header, pages };
}
