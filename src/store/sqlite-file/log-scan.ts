import { closeSync, fstatSync, openSync } from 'node:fs';
import { errnoOf } from '../../model/errors.ts';
import { type LogHeader, logHeaderBytes, readFrames, readLogHeader } from './log-frames.ts';

/** What is in the log of a database. */
export interface LogScan {
  path: string;
  sizeBytes: number;
  /** Where in the log the newest committed content of a page is. */
  contents: ReadonlyMap<number, number>;
  /** Pages whose newest committed content is damaged; an older one takes its place. */
  stalePages: ReadonlySet<number>;
  /** Pages of the database after the last transaction; null: the log has none. */
  pageCount: number | null;
  /**
   * `whole`: the log ends with a whole transaction. `unfinished`: it ends within one, because its
   * writer was killed, its disk was full, or the log was cut. `damaged`: a part that is followed by more cannot
   * be read; SQLite does not come to what follows.
   */
  state: 'whole' | 'unfinished' | 'damaged';
}

/** Reads through the log of a database, which nobody may be writing to. Null when there is none. */
export function scanLog(databasePath: string, databasePageSizeBytes: number): LogScan | null {
  const path = `${databasePath}-wal`;
  const file = openIfThere(path);
  if (file === null) return null;
  try {
    const sizeBytes = fstatSync(file).size;
    const header = readLogHeader(file, databasePageSizeBytes);
    if (header !== null) return { path, sizeBytes, ...scan(file, header, sizeBytes) };
    const state = sizeBytes === 0 ? 'whole' : 'damaged';
    return { path, sizeBytes, contents: new Map(), stalePages: new Set(), pageCount: null, state };
  } finally {
    closeSync(file);
  }
}

function openIfThere(path: string): number | null {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw error;
  }
}

type Found = Omit<LogScan, 'path' | 'sizeBytes'>;

function scan(file: number, header: LogHeader, sizeBytes: number): Found {
  const contents = new Map<number, number>();
  const stalePages = new Set<number>();
  // Of the transaction that has not ended yet: where each page is, null where it is damaged.
  const open = new Map<number, number | null>();
  let pageCount: number | null = null;
  let isDamaged = !header.isWhole;
  // Since the last transaction ended: frames that cannot be used.
  let odd: 'none' | 'earlier round' | 'damaged' = 'none';
  let salts = header.isWhole ? header.salts : null;
  let readTo = logHeaderBytes;
  for (const frame of readFrames(file, header)) {
    // Where the head is damaged, the first frame says which round this is.
    salts ??= frame.salts;
    readTo = frame.contentOffset + header.pageSizeBytes;
    const sameSalts = Number(frame.salts[0] === salts[0]) + Number(frame.salts[1] === salts[1]);
    if (sameSalts < 2 || !frame.isWhole) {
      // What an earlier round left behind was in the database before this round began.
      if (odd !== 'damaged') odd = sameSalts === 0 ? 'earlier round' : 'damaged';
      if (sameSalts > 0) open.set(frame.page, null);
      continue;
    }
    open.set(frame.page, frame.contentOffset);
    if (frame.pageCountAtCommit === 0) continue;
    if (odd !== 'none') isDamaged = true;
    odd = 'none';
    pageCount = frame.pageCountAtCommit;
    for (const [page, offset] of open) {
      if (offset === null) stalePages.add(page);
      else {
        contents.set(page, offset);
        stalePages.delete(page);
      }
    }
    open.clear();
  }
  const isCut = odd === 'none' && readTo < sizeBytes;
  const isUnfinished = odd === 'damaged' || open.size > 0 || isCut;
  const state = isDamaged ? 'damaged' : isUnfinished ? 'unfinished' : 'whole';
  return { contents, stalePages, pageCount, state };
}
