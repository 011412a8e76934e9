import { closeSync, fstatSync, openSync } from 'node:fs';
import {
  type DatabaseHeader,
  databaseHeaderBytes,
  isPageSize,
  parseDatabaseHeader,
} from './database-header.ts';
import { type LogScan, scanLog } from './log-scan.ts';
import { readBytes } from './read-bytes.ts';

export interface PageFileOptions {
  /** Pages whose content is known to be wrong. */
  badPages: readonly number[];
  /** Used where the database does not say it. */
  pageSizeBytes: number;
}

/**
 * The pages of a database file as its log left them, read without SQLite, which gives up where a
 * page is damaged that it needs to find others. Nobody may be writing to the file.
 */
export class PageFile {
  /** Null where the first page is damaged. */
  readonly header: DatabaseHeader | null;
  readonly log: LogScan | null;
  readonly pageSizeBytes: number;
  /** Bytes of a page that hold rows. */
  readonly usableBytes: number;
  /** What the file should have, which may be more than there are. */
  readonly pageCount: number;
  readonly #file: number;
  readonly #logFile: number | null;
  readonly #badPages: ReadonlySet<number>;

  constructor(path: string, options: PageFileOptions) {
    this.#badPages = new Set(options.badPages);
    this.#file = openSync(path, 'r');
    try {
      const own = parseDatabaseHeader(readBytes(this.#file, Buffer.alloc(databaseHeaderBytes), 0));
      const ownSize = own !== null && isPageSize(own.pageSizeBytes) ? own.pageSizeBytes : null;
      this.pageSizeBytes = ownSize ?? options.pageSizeBytes;
      this.log = scanLog(path, this.pageSizeBytes);
      this.#logFile = this.log === null ? null : openSync(this.log.path, 'r');
      const sizeBytes = fstatSync(this.#file).size;
      const first = this.page(1);
      this.header = first === null ? null : parseDatabaseHeader(first);
      const reservedBytes = this.header?.reservedBytes ?? 0;
      this.usableBytes = this.pageSizeBytes - Math.min(reservedBytes, this.pageSizeBytes - 480);
      this.pageCount = Math.max(
        this.log?.pageCount ?? this.header?.pageCount ?? 0,
        // Without a count everything is looked at; checksums behind the last page are no rows.
        this.header?.pageCount == null ? Math.ceil(sizeBytes / this.pageSizeBytes) : 0,
      );
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** The content of a page, numbered from 1; null when it is missing, cut or known to be wrong. */
  page(number: number): Buffer | null {
    const inLog = this.log?.contents.get(number);
    if (inLog !== undefined && this.#logFile !== null) return this.#read(this.#logFile, inLog);
    if (this.#badPages.has(number)) return null;
    return this.#read(this.#file, (number - 1) * this.pageSizeBytes);
  }

  /** Whether a later content of the page is lost: rows may be missing from it. */
  isStale(number: number): boolean {
    return this.log?.stalePages.has(number) ?? false;
  }

  close(): void {
    closeSync(this.#file);
    if (this.#logFile !== null) closeSync(this.#logFile);
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #read(file: number, offset: number): Buffer | null {
    const bytes = readBytes(file, Buffer.alloc(this.pageSizeBytes), offset);
    return bytes.length < this.pageSizeBytes ? null : bytes;
  }
}
