import { HeadroomError } from '../model/errors.ts';
import { type Database, openDatabase, type Statement } from './driver.ts';
import { FileSpace } from './file-space.ts';
import { type WriteFailure, writeFailure } from './outage.ts';
import { RecordedFile } from './recorded-file.ts';
import { Retention } from './retention.ts';
import { sealFile } from './seal/seal-file.ts';

// How often a write is tried while old detail makes room for it.
const mostAttempts = 12;
const mostSpareSteps = 3;
// For the first minutes of a small session.
const firstPages = 48;

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
      if (failure.reason !== 'full' || attempt === mostAttempts) return failure;
      this.#space.retry();
      if (!this.#space.prepare(pages) && !this.#retention.thin('need')) return failure;
    }
  }

  /** For what comes next, so that no old minute need go in a hurry. Waits for nobody. */
  makeRoom(pages: number): void {
    if (this.#space.hasFree(pages)) return;
    const timeoutMs = this.#timeoutMs;
    this.waitForLocks(0);
    for (let step = 0; step < mostSpareSteps; step++) {
      if (this.#space.prepare(pages) || !this.#retention.thin('spare')) break;
    }
    this.waitForLocks(timeoutMs);
  }

  /** For the end: goes where another program has moved the file. Its name there; else null. */
  follow(): string | null {
    this.#file.follow();
    return this.#file.movedTo;
  }

  /** Whether all of the log is in the file now. */
  emptyLog(): boolean {
    const [state] = this.#db.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[];
    return state?.busy === 0;
  }

  /** False when what was written is not to be found under the file's name. */
  close(): boolean {
    const { movedTo } = this.#file;
    const isThere = movedTo === null && this.isThere;
    let isWhole = false;
    this.#attempt(() => {
      if (isThere) this.#space.giveBackAll();
      if (isThere) standAlone(this.#db);
      // SQLite itself would leave the log under the name that the file had.
      else if (movedTo !== null) isWhole = this.emptyLog();
      // It may have another name, or be nowhere but in this process.
      else if (this.#file.isMissing()) this.#db.pragma('wal_checkpoint(FULL)');
    });
    this.#db.close();
    if (!isThere) this.#file.removeRest();
    if (isThere) this.#seal(this.#path);
    else if (movedTo !== null && isWhole) this.#endMoved(movedTo);
    return isThere;
  }

  /** Makes one file of what was moved, as of any recording that ended. */
  #endMoved(path: string): void {
    this.#attempt(() => {
      const db = openDatabase(path, { mode: 'write', busyTimeoutMs: this.#timeoutMs });
      try {
        standAlone(db);
      } finally {
        db.close();
      }
    });
    this.#seal(path);
  }

  /** Somebody else has it open, or the disk is full: the log stays and is part of the recording. */
  #attempt(act: () => void): void {
    try {
      act();
    } catch (error) {
      if (!(error instanceof HeadroomError)) writeFailure(error, this.#path);
    }
  }

  #seal(path: string): void {
    try {
      sealFile(path);
    } catch (error) {
      // Somebody else writes to it already, or there is no room: it is whole without checksums too.
      if (!(error instanceof HeadroomError)) throw error;
    }
  }

  #transaction(act: () => void): WriteFailure | null {
    const problem = this.#file.problem();
    if (problem !== null) return { reason: 'failed', message: problem };
    const logProblem = this.#space.logProblem();
    if (logProblem !== null) return { reason: 'busy', message: logProblem };
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
}

/**
 * With a rollback journal instead of the log a reader needs no second file and no right to make one,
 * so that a recording can be read from read-only media.
 */
function standAlone(db: Database): void {
  db.pragma('journal_mode = DELETE');
}
