import type { RecordingEvent } from '../model/event.ts';
import type { Sample } from '../model/sample.ts';
import type { EndReason, SessionFacts } from '../model/session.ts';
import type { Database } from './driver.ts';
import type { Ending } from './end-moved.ts';
import { openForWriting } from './open-for-writing.ts';
import { lossBefore, type Outage, outageNote, type WriteFailure } from './outage.ts';
import { type PendingSample, PendingSamples } from './pending-samples.ts';
import { readingError } from './reading-error.ts';
import { isRecorderAlive, type RecorderIdentity, thisRecorder } from './recorder-lock.ts';
import { TickWriter } from './tick-writer.ts';
import { WritableFile } from './writable-file.ts';

export interface StoreWriterOptions {
  /** Go on with a recording of another session that is in the file; default false. */
  resume?: boolean;
  /** The longest wait for a lock that somebody else holds, ms; default 200. */
  busyTimeoutMs?: number;
  /** The most that the file and its log may take on the disk, bytes; default 256 MiB. */
  maxBytes?: number;
  /** Samples kept in memory while the file cannot be written; default 600. */
  pendingCapacity?: number;
  /** Who this recorder is; default: this process. */
  recorder?: RecorderIdentity;
  /** Whether the recorder that the file names still runs; default: asks the kernel. */
  isAlive?: (recorder: RecorderIdentity) => boolean;
  /** The log of a recording that was moved away was found in the place of a new one, and has this name now. */
  onLogAside?: (log: string) => void;
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

/** What became of a recording at its end. */
export type CloseResult =
  | WriteResult
  /** Another program has moved the file while it was recorded: what there is, is in it, where it is now. */
  | { outcome: 'moved'; path: string; missingCount: number }
  /**
   * The file was moved or removed while it was recorded, and what it lacks is in its log, which could
   * not be put beside it. `path`: where the file is; null when nobody knows.
   */
  | { outcome: 'in_log'; path: string | null; log: string; missingCount: number };

export interface SessionEnd {
  /** Null of a copy (`copied`): the recording goes on elsewhere, or nobody knows when it ended. */
  endedUnixMs: number | null;
  endReason: EndReason;
  /** What happened since the last sample; it is told with that one. */
  events?: readonly RecordingEvent[];
}

const written: WriteResult = { outcome: 'written' };
const duplicate: WriteResult = { outcome: 'duplicate' };
const defaultMaxBytes = 256 * 2 ** 20;
const sparePages = 32;
const closeTimeoutMs = 2000;
// A lock that outlasted the whole timeout is not waited for again, so that no tick is late.
const busyAgainTimeoutMs = 0;

/**
 * Appends the samples of one recorder to one file. Each is one transaction: after a `kill -9` every
 * sample that `writeSample` called written is there whole. A file that cannot be written for a
 * while never stops the recorder, and holds it up once, for the busy timeout. A file that another
 * program removes, moves or replaces is not written again, unless it comes back; at the end the rest
 * goes to its log, and that to where the file is.
 */
export class StoreWriter {
  readonly path: string;
  readonly #file: WritableFile;
  readonly #ticks: TickWriter;
  readonly #pending: PendingSamples;
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
      onLogAside: options.onLogAside ?? null,
    });
    try {
      return new StoreWriter(path, db, {
        pendingCapacity: options.pendingCapacity ?? 600,
        busyTimeoutMs,
        maxBytes: options.maxBytes ?? defaultMaxBytes,
      });
    } catch (error) {
      // What an earlier run left in the file is damaged.
      db.close();
      throw readingError(error, path);
    }
  }

  private constructor(
    path: string,
    db: Database,
    options: Pick<Required<StoreWriterOptions>, 'pendingCapacity' | 'busyTimeoutMs' | 'maxBytes'>,
  ) {
    this.path = path;
    this.#busyTimeoutMs = options.busyTimeoutMs;
    this.#ticks = new TickWriter(db);
    this.#file = new WritableFile(db, path, {
      maxBytes: options.maxBytes,
      onTextsGone: () => this.#ticks.reloadTexts(),
    });
    this.#file.waitForLocks(options.busyTimeoutMs);
    this.#pending = new PendingSamples(options.pendingCapacity);
    this.#sequenceBase = this.#ticks.last?.sequence ?? 0;
  }

  /**
   * How many samples of this run are in the file; 0 while there is no file of its name, and after the
   * end when it is nowhere. Those that are neither here nor pending were lost.
   */
  get writtenCount(): number {
    return !this.#file.isOpen || this.#file.isThere ? this.#committedCount : 0;
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
   * unless a reader has it open. Waits for a lock for two seconds at most. Not all written: the
   * result says what is not. A second call does nothing.
   */
  close(end: SessionEnd): CloseResult {
    if (!this.#file.isOpen) return written;
    const lostCount = this.#outage?.lostCount ?? 0;
    let result: WriteResult;
    let ending: Ending;
    try {
      this.#file.waitForLocks(closeTimeoutMs);
      this.#file.follow();
      result = this.#writeEnd(end);
    } finally {
      ending = this.#file.close(this.#ticks.last?.sequence ?? 0);
      // SQLite may yet write a part of its log into a file that was emptied.
      if (ending.place === 'log' || ending.place === 'nowhere') this.#committedCount = 0;
    }
    const missingCount = this.#pending.count + lostCount;
    if (ending.place === 'moved') return { outcome: 'moved', path: ending.path, missingCount };
    if (ending.place !== 'log') return result;
    return { outcome: 'in_log', path: ending.path, log: ending.log, missingCount };
  }

  #writeEnd(end: SessionEnd): WriteResult {
    const result = this.#drain();
    if (result.outcome !== 'written') return result;
    // The end of an outage has set it back.
    this.#file.waitForLocks(closeTimeoutMs);
    const failure = this.#file.write(sparePages, { act: () => this.#ticks.finish(end) });
    return failure === null ? result : this.#deferred({ ...failure, lostCount: 0 });
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
    if (this.#outage !== null) this.#file.waitForLocks(this.#busyTimeoutMs);
    this.#outage = null;
    return written;
  }

  #putOff({ sample }: PendingSample, failure: WriteFailure): Outage {
    if (this.#outage === null) this.#file.waitForLocks(busyAgainTimeoutMs);
    const begun = {
      sinceUnixMs: sample.timeUnixMs,
      keptCount: 0,
      lostCount: 0,
      lostSinceWritten: 0,
    };
    this.#outage = { ...begun, ...this.#outage, ...failure };
    return this.#outage;
  }

  #write(next: PendingSample): WriteFailure | null {
    const events = this.#outage === null ? next.events : this.#withOutage(next, this.#outage);
    const sequence = this.#sequenceBase + next.sample.sequence;
    const pages = pagesFor(next.sample);
    try {
      const failure = this.#file.write(pages, {
        act: () => this.#ticks.write(next.sample, sequence, events),
        undo: () => this.#ticks.discard(),
      });
      if (failure !== null) return failure;
      this.#ticks.commit();
      this.#file.makeRoom(pages);
      return null;
    } catch (error) {
      // A sample that no file would take must not be in the way of the next ones.
      this.#ticks.discard();
      this.#pending.removeFirst();
      throw error;
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
}

// What a sample takes at most, had all of its processes just been met; and for some minutes to come.
function pagesFor({ processes }: Sample): number {
  return sparePages + Math.ceil(processes.length / 16);
}
