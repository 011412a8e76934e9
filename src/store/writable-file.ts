import { HeadroomError } from '../model/errors.ts';
import type { Database, Statement } from './driver.ts';
import { type Ending, endMoved } from './end-moved.ts';
import { FileSpace } from './file-space.ts';
import { type WriteFailure, writeFailure } from './outage.ts';
import { RecordedFile } from './recorded-file.ts';
import { Retention } from './retention.ts';
import { sealFile } from './seal/seal-file.ts';
import { standAlone } from './stand-alone.ts';

// How often a write is tried while old detail makes room for it.
const mostAttempts = 12;
const mostSpareSteps = 3;
// For the first minutes of a small session.
const firstPages = 48;
// SQLite's own limit (sqlite.org/limits.html).
const mostPages = 4_294_967_294;

/**
 * The file of a recording, as far as it can be written: transactions that fail for a reason outside
 * of the program say so, and old detail makes room where there is none.
 */
export class WritableFile {
  readonly #db: Database;
  readonly #path: string;
  readonly #begin: Statement;
  readonly #commit: Statement;
  readonly #rollback: Statement;
  readonly #file: RecordedFile;
  readonly #space: FileSpace;
  readonly #retention: Retention;
  #timeoutMs = 0;
  /** The file itself is left as it is; what is written goes to its log. */
  #isLogOnly = false;

  constructor(db: Database, path: string, options: { maxBytes: number; onTextsGone: () => void }) {
    this.#db = db;
    this.#path = path;
    this.#begin = db.prepare('BEGIN IMMEDIATE');
    this.#commit = db.prepare('COMMIT');
    this.#rollback = db.prepare('ROLLBACK');
    this.#file = new RecordedFile(path);
    this.#space = new FileSpace(db, path, options.maxBytes);
    this.#space.prepare(firstPages);
    this.#retention = new Retention(db, path, options.onTextsGone);
  }

  get isOpen(): boolean {
    return this.#db.open;
  }

  /** Whether what was written is still to be found under the file's name. */
  get isThere(): boolean {
    return this.#file.problem() === null;
  }

  /** The longest wait for a lock of another program from now on. */
  waitForLocks(timeoutMs: number): void {
    this.#timeoutMs = timeoutMs;
    this.#db.pragma(`busy_timeout = ${timeoutMs}`);
  }

  /** Does it in one transaction. Null when that was committed; after a failed attempt `undo` runs. */
  write(pages: number, { act, undo }: { act: () => void; undo?: () => void }): WriteFailure | null {
    for (let attempt = 1; ; attempt++) {
      const failure = this.#transaction(act);
      if (failure === null) return null;
      undo?.();
      if (failure.reason !== 'full' || attempt === mostAttempts || this.#isLogOnly) return failure;
      this.#space.retry();
      if (!this.#space.prepare(pages) && !this.#retention.thin('need')) return failure;
    }
  }

  /** For what comes next, so that no old minute need go in a hurry. Waits for nobody. */
  makeRoom(pages: number): void {
    if (this.#isLogOnly || this.#space.hasFree(pages)) return;
    const timeoutMs = this.#timeoutMs;
    this.waitForLocks(0);
    for (let step = 0; step < mostSpareSteps; step++) {
      if (this.#space.prepare(pages) || !this.#retention.thin('spare')) break;
    }
    this.waitForLocks(timeoutMs);
  }

  /**
   * For the end of a file that is not under its name any more: the rest goes to its log alone, if that
   * is still to be found. Somebody else may have opened the file, or a copy of it, by another name.
   */
  follow(): void {
    if (!this.#file.isMissing() || this.#file.log === null) return;
    this.#isLogOnly = true;
    this.#db.pragma('wal_autocheckpoint = 0');
    // What they need is not made ready any more.
    this.#db.pragma(`max_page_count = ${mostPages}`);
  }

  /** `lastSequence`: of the newest sample that was written. */
  close(lastSequence: number): Ending {
    const isThere = !this.#isLogOnly && this.isThere;
    if (isThere) {
      this.#attempt(() => {
        this.#space.giveBackAll();
        standAlone(this.#db);
      });
    }
    const log = this.#isLogOnly ? this.#file.log : null;
    const path = log === null ? null : this.#file.presentName;
    // SQLite leaves the log of a file that is not under its name.
    this.#db.close();
    if (isThere) {
      this.#attempt(() => sealFile(this.#path));
      return { place: 'name' };
    }
    this.#file.removeRest();
    if (log === null) return { place: 'nowhere' };
    return path === null ? { place: 'log', path, log } : endMoved({ path, log, lastSequence });
  }

  /**
   * Somebody else has it open, or the disk is full: the log stays and is part of the recording, which is
   * whole without checksums too.
   */
  #attempt(act: () => void): void {
    try {
      act();
    } catch (error) {
      if (!(error instanceof HeadroomError)) writeFailure(error, this.#path);
    }
  }

  #transaction(act: () => void): WriteFailure | null {
    const problem = this.#isLogOnly ? null : this.#problem();
    if (problem !== null) return problem;
    try {
      this.#begin.run();
      act();
      this.#commit.run();
      return null;
    } catch (error) {
      // A full disk may have rolled it back already.
      if (this.#db.inTransaction) this.#rollback.run();
      return writeFailure(error, this.#path);
    }
  }

  #problem(): WriteFailure | null {
    const problem = this.#file.problem();
    if (problem !== null) return { reason: 'failed', message: problem };
    const logProblem = this.#space.logProblem();
    return logProblem === null ? null : { reason: 'busy', message: logProblem };
  }
}
