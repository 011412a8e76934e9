import { HeadroomError } from '../model/errors.ts';
import type { RecordingEvent } from '../model/event.ts';
import type { Sample } from '../model/sample.ts';
import type { EndReason, SessionFacts } from '../model/session.ts';
import type { Database, Statement } from './driver.ts';
import { openForWriting } from './open-for-writing.ts';
import { lossBefore, type Outage, outageNote, type WriteFailure, writeFailure } from './outage.ts';
import { type PendingSample, PendingSamples } from './pending-samples.ts';
import { readingError } from './reading-error.ts';
import { RecordedFile } from './recorded-file.ts';
import { isRecorderAlive, type RecorderIdentity, thisRecorder } from './recorder-lock.ts';
import { sealFile } from './seal/seal-file.ts';
import { TickWriter } from './tick-writer.ts';

export interface StoreWriterOptions {
  /** Go on with a recording of another session that is in the file; default false. */
  resume?: boolean;
  /** The longest wait for a lock that somebody else holds, ms; default 200. */
  busyTimeoutMs?: number;
  /** Samples kept in memory while the file cannot be written; default 600. */
  pendingCapacity?: number;
  /** Who this recorder is; default: this process. */
  recorder?: RecorderIdentity;
  /** Whether the recorder that the file names still runs; default: asks the kernel. */
  isAlive?: (recorder: RecorderIdentity) => boolean;
}

/** What became of a sample. */
export type WriteResult =
  | { outcome: 'written' }
  /** The file has a sample of this sequence number already; nothing was written. */
  | { outcome: 'duplicate' }
  /** Kept in memory until the file can be written again. */
  | {
      outcome: 'deferred';
      reason: 'busy' | 'full' | 'failed';
      pendingCount: number;
      /** Samples of this stretch that there was no room for. */
      lostCount: number;
      /** The driver's message, or what became of the file. */
      message: string;
    };

export interface SessionEnd {
  endedUnixMs: number;
  endReason: EndReason;
}

const written: WriteResult = { outcome: 'written' };
const duplicate: WriteResult = { outcome: 'duplicate' };
const closeTimeoutMs = 2000;
// A lock that outlasted the whole timeout is not waited for again, so that no tick is late.
const busyAgainTimeoutMs = 0;

/**
 * Appends the samples of one recorder to one file. Each is one transaction: after a `kill -9` every
 * sample that `writeSample` called written is there whole. A file that cannot be written for a
 * while never stops the recorder, and holds it up once, for the busy timeout. A file that another
 * program removes, moves or replaces is not written again, unless it comes back.
 */
export class StoreWriter {
  readonly path: string;
  readonly #db: Database;
  readonly #begin: Statement;
  readonly #commit: Statement;
  readonly #rollback: Statement;
  readonly #ticks: TickWriter;
  readonly #pending: PendingSamples;
  readonly #file: RecordedFile;
  readonly #busyTimeoutMs: number;
  /** Where the file ended before this run: its sequence numbers go on from there. */
  readonly #sequenceBase: number;
  #outage: Outage | null = null;
  #committedCount = 0;

  /**
   * Makes the recording, or goes on with the one that is there when it is of the same session, or
   * of any with `resume`. Errors: see {@link openForWriting}; ADDON_MISSING.
   */
  static open(path: string, facts: SessionFacts, options: StoreWriterOptions = {}): StoreWriter {
    const busyTimeoutMs = options.busyTimeoutMs ?? 200;
    const db = openForWriting({
      path,
      facts,
      resume: options.resume ?? false,
      busyTimeoutMs,
      recorder: options.recorder ?? thisRecorder(),
      isAlive: options.isAlive ?? isRecorderAlive,
    });
    const pendingCapacity = options.pendingCapacity ?? 600;
    try {
      return new StoreWriter(path, db, { pendingCapacity, busyTimeoutMs });
    } catch (error) {
      // What an earlier run left in the file is damaged.
      db.close();
      throw readingError(error, path);
    }
  }

  private constructor(
    path: string,
    db: Database,
    options: { pendingCapacity: number; busyTimeoutMs: number },
  ) {
    this.path = path;
    this.#db = db;
    this.#file = new RecordedFile(path);
    this.#busyTimeoutMs = options.busyTimeoutMs;
    this.#begin = db.prepare('BEGIN IMMEDIATE');
    this.#commit = db.prepare('COMMIT');
    this.#rollback = db.prepare('ROLLBACK');
    this.#ticks = new TickWriter(db);
    this.#pending = new PendingSamples(options.pendingCapacity);
    this.#sequenceBase = this.#ticks.last?.sequence ?? 0;
  }

  /**
   * How many samples of this run are in the file; 0 once there is no such file any more. Those that
   * are neither here nor pending were lost.
   */
  get writtenCount(): number {
    return this.#file.problem() === null ? this.#committedCount : 0;
  }

  /**
   * Writes a sample and what happened since the one before. Neither may be changed afterwards: while
   * the file cannot be written they wait in memory.
   */
  writeSample(sample: Sample, events: readonly RecordingEvent[]): WriteResult {
    const newest = this.#pending.last?.sample.sequence ?? this.#lastSequence();
    if (sample.sequence <= newest) return duplicate;
    const lostCount = this.#pending.push({ sample, events });
    if (this.#outage !== null) {
      this.#outage.lostCount += lostCount;
      this.#outage.lostSinceWritten += lostCount;
    }
    return this.#drain();
  }

  /**
   * Writes what is left and ends the recording; then the file stands alone and carries checksums,
   * unless a reader has it open. Waits for a lock for two seconds at most. Not all written: the result says what is not.
   * A second call does nothing.
   */
  close(end: SessionEnd): WriteResult {
    if (!this.#db.open) return written;
    try {
      this.#waitForLocks(closeTimeoutMs);
      const result = this.#drain();
      if (result.outcome !== 'written') return result;
      // The end of an outage has set it back.
      this.#waitForLocks(closeTimeoutMs);
      const failure = this.#transaction(() => this.#ticks.finish(end));
      return failure === null ? result : this.#deferred({ ...failure, lostCount: 0 });
    } finally {
      this.#closeFile();
    }
  }

  #lastSequence(): number {
    return (this.#ticks.last?.sequence ?? 0) - this.#sequenceBase;
  }

  #drain(): WriteResult {
    for (let next = this.#pending.first; next !== undefined; next = this.#pending.first) {
      const failure = this.#write(next);
      if (failure !== null) return this.#deferred(this.#putOff(next, failure));
      this.#committedCount++;
      this.#pending.removeFirst();
      if (this.#outage === null) continue;
      this.#outage.keptCount++;
      this.#outage.lostSinceWritten = 0;
    }
    if (this.#outage !== null) this.#waitForLocks(this.#busyTimeoutMs);
    this.#outage = null;
    return written;
  }

  #putOff({ sample }: PendingSample, failure: WriteFailure): Outage {
    if (this.#outage === null) this.#waitForLocks(busyAgainTimeoutMs);
    const begun = {
      sinceUnixMs: sample.timeUnixMs,
      keptCount: 0,
      lostCount: 0,
      lostSinceWritten: 0,
    };
    this.#outage = { ...begun, ...this.#outage, ...failure };
    return this.#outage;
  }

  #waitForLocks(timeoutMs: number): void {
    this.#db.pragma(`busy_timeout = ${timeoutMs}`);
  }

  #write(next: PendingSample): WriteFailure | null {
    const events = this.#outage === null ? next.events : this.#withOutage(next, this.#outage);
    const sequence = this.#sequenceBase + next.sample.sequence;
    try {
      const failure = this.#transaction(() => this.#ticks.write(next.sample, sequence, events));
      if (failure === null) this.#ticks.commit();
      else this.#ticks.discard();
      return failure;
    } catch (error) {
      // A sample that no file would take must not be in the way of the next ones.
      this.#ticks.discard();
      this.#pending.removeFirst();
      throw error;
    }
  }

  /** Null when it was committed. */
  #transaction(write: () => void): WriteFailure | null {
    const problem = this.#file.problem();
    if (problem !== null) return { reason: 'failed', message: problem };
    try {
      this.#begin.run();
      write();
      this.#commit.run();
      return null;
    } catch (error) {
      // A full disk may have rolled it back already.
      if (this.#db.inTransaction) this.#rollback.run();
      return writeFailure(error, this.path);
    }
  }

  #withOutage({ sample, events }: PendingSample, outage: Outage): RecordingEvent[] {
    const over = [...events, ...lossBefore(sample, outage, this.#ticks.last)];
    // Before the last one is written nobody knows how many were kept and how many lost.
    return this.#pending.count > 1 ? over : [...over, outageNote(outage, sample.timeUnixMs)];
  }

  #deferred({ reason, message, lostCount }: WriteFailure & { lostCount: number }): WriteResult {
    const pendingCount = this.#pending.count;
    return { outcome: 'deferred', reason, pendingCount, lostCount, message };
  }

  #closeFile(): void {
    const problem = this.#file.problem();
    const isMissing = problem !== null && this.#file.isMissing();
    // SQLite may yet write a part of its log into a file that was emptied.
    if (problem !== null) this.#committedCount = 0;
    try {
      // With a rollback journal instead of the log a reader needs no second file and no right to
      // make one, so that a recording can be read from read-only media.
      if (problem === null) this.#db.pragma('journal_mode = DELETE');
      // It may have another name now, under which it should be whole.
      else if (isMissing) this.#db.pragma('wal_checkpoint(TRUNCATE)');
    } catch (error) {
      // Somebody else has it open, or the disk is full: the log stays and is part of the recording.
      writeFailure(error, this.path);
    }
    this.#db.close();
    if (isMissing && this.#file.isMissing()) this.#file.removeRest();
    if (problem === null) this.#seal();
  }

  #seal(): void {
    try {
      sealFile(this.path);
    } catch (error) {
      // Somebody else writes to it already, or there is no room: it is whole without checksums too.
      if (!(error instanceof HeadroomError)) throw error;
    }
  }
}
