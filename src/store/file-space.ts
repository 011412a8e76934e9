import { statSync } from 'node:fs';
import { type Database, type Statement, transaction } from './driver.ts';
import { writeFailure } from './outage.ts';

const pageBytes = 4096;
// A row that takes a page of its own, and an eighth of another one.
const fillerBytes = 4581;
const rowsPerLeaf = 8;
const mib = 2 ** 20;
const leastGrowth = 16;
const mostGrowth = 128;
// What is written to the log between two looks at its length: room for a growth of the file, too.
const logMarginBytes = 768 * 1024;
// After the disk refused, in samples.
const pauseAfterRefusal = 60;

/**
 * The room of a recording on its disk. The file grows here and nowhere else, by pages that are free
 * and on the disk before a sample needs them: what cannot grow any more, because the budget or the
 * disk is used up, can still be thinned, and a sample is never torn. SQLite itself may add no page.
 */
export class FileSpace {
  readonly #db: Database;
  readonly #path: string;
  readonly #mostPages: number;
  readonly #mostLogBytes: number;
  readonly #freeCount: Statement;
  readonly #fill: Statement;
  readonly #last: Statement;
  readonly #emptyRow: Statement;
  #pages: number;
  #pause = 0;
  #calls = 0;
  #isLogFull = false;

  /** `maxBytes` is for the file and its log together. */
  constructor(db: Database, path: string, maxBytes: number) {
    this.#db = db;
    this.#path = path;
    this.#mostLogBytes = Math.min(32 * mib, Math.max(2 * mib, maxBytes / 8));
    this.#mostPages = Math.floor((maxBytes - this.#mostLogBytes) / pageBytes);
    this.#freeCount = db.prepare('PRAGMA freelist_count').pluck();
    this.#fill = db.prepare(
      `INSERT INTO reserve (row, filler)
       WITH RECURSIVE number (row) AS (SELECT 1 UNION ALL SELECT row + 1 FROM number WHERE row < ?)
       SELECT row, zeroblob(${fillerBytes}) FROM number`,
    );
    this.#last = db.prepare('SELECT max(row) FROM reserve').pluck();
    this.#emptyRow = db.prepare('DELETE FROM reserve WHERE row = ?');
    // An earlier run may have been killed while it made room.
    this.#empty();
    this.#pages = this.#fixSize();
  }

  hasFree(pages: number): boolean {
    return this.#pages <= this.#mostPages && (this.#freeCount.get() as number) >= pages;
  }

  /**
   * Sees to it that so many pages are free. False when they are not, and something must be thinned;
   * also while the file is above its budget, as one that was begun with a larger one.
   */
  prepare(wantedPages: number): boolean {
    const free = this.#freeCount.get() as number;
    if (this.#pages > this.#mostPages) {
      if (free > wantedPages) this.#giveBack(Math.min(mostGrowth, free - wantedPages));
      return this.#pages <= this.#mostPages;
    }
    return free >= wantedPages || this.#grow(wantedPages - free, free);
  }

  /** After a write that found no room: the log may have some again, and the disk is asked anew. */
  retry(): void {
    this.#pause = 0;
    this.#attempt(() => this.#db.pragma('wal_checkpoint(PASSIVE)'));
  }

  /**
   * Null, or why nothing can be written now: while another program reads one state of the file, the
   * log cannot begin anew, and would fill the disk.
   */
  logProblem(): string | null {
    // It takes minutes to come to that: looked at now and then, and all the time once it has.
    if (!this.#isLogFull && ++this.#calls % 16 !== 0) return null;
    this.#isLogFull = this.#isLogHeld();
    if (!this.#isLogFull) return null;
    const limit = Math.round(this.#mostLogBytes / mib);
    return `another program has been reading the file for too long, and its log has come to ${limit} MiB`;
  }

  #isLogHeld(): boolean {
    const log = statSync(`${this.#path}-wal`, { throwIfNoEntry: false });
    if (log === undefined || log.size <= this.#mostLogBytes - logMarginBytes) return false;
    const [state] = this.#db.pragma('wal_checkpoint(PASSIVE)') as CheckpointState[];
    return state !== undefined && state.log !== state.checkpointed;
  }

  /** At the end: pages that nothing needs any more. */
  giveBackAll(): void {
    this.#attempt(() => this.#db.pragma('incremental_vacuum'));
  }

  #grow(pages: number, free: number): boolean {
    if (this.#pause-- > 0) return false;
    const chunk = Math.min(mostGrowth, Math.max(leastGrowth, Math.floor(this.#pages / 8)));
    const wanted = Math.min(Math.max(pages, chunk), this.#mostPages - this.#pages);
    // A growth that failed may have left its rows behind, for want of room in the log.
    if (wanted < pages || !this.#empty()) return false;
    this.#db.pragma(`max_page_count = ${this.#pages + wanted + leastGrowth}`);
    // Written to the log, then to the file itself, and only then free: so they are on the disk. What
    // is free already is used up first.
    const isThere = this.#attempt(() => {
      this.#fill.run(Math.floor(((free + wanted) * rowsPerLeaf) / (rowsPerLeaf + 1)));
      this.#db.pragma('wal_checkpoint(PASSIVE)');
    });
    if (!this.#empty() || !isThere) {
      this.#giveBack(wanted);
      this.#pause = pauseAfterRefusal;
    }
    this.#pages = this.#fixSize();
    return isThere;
  }

  // SQLite takes the page first that came free last. So what is older is further to the front, and is
  // what is left of a file that was cut.
  #empty(): boolean {
    const last = this.#last.get() as number | null;
    if (last === null) return true;
    return this.#attempt(() =>
      transaction(this.#db, 'immediate', () => {
        for (let row = last; row > 0; row--) this.#emptyRow.run(row);
      }),
    );
  }

  #giveBack(pages: number): void {
    this.#attempt(() => this.#db.pragma(`incremental_vacuum(${pages})`));
    this.#pages = this.#fixSize();
  }

  /** Forbids SQLite to add pages; gives how many there are. */
  #fixSize(): number {
    const pages = Number(this.#db.pragma('page_count', { simple: true }));
    this.#db.pragma(`max_page_count = ${pages}`);
    return pages;
  }

  /** False when the disk, a lock or another program was in the way. */
  #attempt(act: () => void): boolean {
    try {
      act();
      return true;
    } catch (error) {
      writeFailure(error, this.#path);
      return false;
    }
  }
}

interface CheckpointState {
  log: number;
  checkpointed: number;
}
