import type { ProcessReading } from '../model/sample.ts';
import type { Database, Statement } from './driver.ts';
import { insertSql } from './insert-sql.ts';
import { isOtherwise, latestColumns, latestValues } from './process-columns.ts';
import {
  processesPerTick,
  processRowValues,
  pssValues,
  storedProcessRowNames,
  storedPssNames,
} from './process-row-columns.ts';
import { minuteOf } from './rollup-key.ts';
import { SharedTexts } from './shared-texts.ts';
import { heartbeatTicks, isWorthStoring } from './sparse-rule.ts';
import type { SqlValue } from './tick-columns.ts';
import type { TickMoment } from './tick-rows.ts';

/** A process that was there in the tick before, as the file knows it. */
interface Tracked {
  process: number;
  pid: number;
  startTicks: number;
  /** Its reading in the last tick that was committed; null when an earlier run wrote that. */
  reading: ProcessReading | null;
  /** The reading in its last row. */
  stored: ProcessReading | null;
  /** The reading that `process` has the latest facts from. */
  told: ProcessReading | null;
  storedSequence: number;
  /** A row is written in this tick at the latest. */
  dueSequence: number;
  peakRssBytes: number | null;
  peakPssBytes: number | null;
  /** What the tick under way does, for when it is committed. */
  next: ProcessReading | null;
  nextIsStored: boolean;
  nextIsTold: boolean;
}

// Of processes that are gone, so many texts are kept by heart at least.
const mostForgettable = 1_000;

/**
 * Writes the tables `process`, `process_row` and `process_pss_row`, sparsely. A tick is written
 * within its transaction; only `commit` makes it the state that the next tick is compared with, so a
 * transaction that failed can be tried again. What is done for every process at every tick is done
 * with forEach: each step of a for…of over a map makes garbage.
 */
export class ProcessWriter {
  readonly #insertProcess: Statement;
  readonly #updateProcess: Statement;
  readonly #endProcess: Statement;
  readonly #insertRow: Statement;
  readonly #insertPssRow: Statement;
  readonly #texts: SharedTexts;
  readonly #tracked = new Map<number, Tracked>();
  #nextProcess: number;
  #last: TickMoment | null;
  /** Once a minute the peaks and counts of all processes are written: they share a few pages. */
  #isNewMinute = false;
  readonly #newcomers: Tracked[] = [];
  readonly #vanished: Tracked[] = [];

  /** `last` is the last tick of the file; null in a new one. */
  constructor(db: Database, last: TickMoment | null) {
    this.#insertProcess = db.prepare(
      `INSERT INTO process (process, pid, start_ticks, first_sequence, first_unix_ms, first_cpu_ms,
         ${latestColumns.join(', ')})
       VALUES (?, ?, ?, ?, ?, ?${', ?'.repeat(latestColumns.length)})`,
    );
    this.#updateProcess = db.prepare(
      `UPDATE process SET ${latestColumns.map((column) => `${column} = ?`).join(', ')}
       WHERE process = ?`,
    );
    this.#endProcess = db.prepare(
      'UPDATE process SET last_sequence = ?, last_unix_ms = ?, ended_unix_ms = ? WHERE process = ?',
    );
    this.#insertRow = db.prepare(insertSql('process_row', storedProcessRowNames));
    this.#insertPssRow = db.prepare(
      insertSql('process_pss_row', [...storedProcessRowNames, ...storedPssNames]),
    );
    this.#texts = new SharedTexts(db);
    this.#nextProcess = 1 + lastProcess(db);
    this.#last = last;
    for (const tracked of openProcesses(db)) this.#tracked.set(tracked.pid, tracked);
  }

  write(readings: readonly ProcessReading[], moment: TickMoment): void {
    this.#isNewMinute = minuteOf(moment.timeUnixMs) !== minuteOf(this.#last?.timeUnixMs ?? 0);
    for (const reading of readings) {
      const tracked = this.#tracked.get(reading.pid);
      if (tracked?.startTicks === reading.startTicks) tracked.next = reading;
      else this.#welcome(reading);
    }
    // In the order of the key, so that SQLite fills its pages: whoever is tracked came in by number.
    this.#tracked.forEach((tracked) => {
      if (tracked.next === null) this.#bury(tracked, moment);
    });
    this.#tracked.forEach((tracked) => {
      if (tracked.next !== null) this.#follow(tracked, tracked.next, moment);
    });
    for (const tracked of this.#newcomers) {
      if (tracked.next !== null) this.#meet(tracked, tracked.next, moment);
    }
  }

  commit(moment: TickMoment): void {
    for (const { pid } of this.#vanished) this.#tracked.delete(pid);
    for (const tracked of this.#newcomers) this.#tracked.set(tracked.pid, tracked);
    this.#nextProcess += this.#newcomers.length;
    this.#tracked.forEach((tracked) => {
      settle(tracked, moment.sequence);
    });
    this.#last = moment;
    this.#texts.commit();
    this.#boundTexts();
    this.discard();
  }

  /** Forgets the tick under way: its transaction failed. */
  discard(): void {
    this.#texts.discard();
    this.#tracked.forEach((tracked) => {
      tracked.next = null;
      tracked.nextIsStored = false;
      tracked.nextIsTold = false;
    });
    this.#newcomers.length = 0;
    this.#vanished.length = 0;
  }

  /** At the end of the recording: the last reading of every process that is still there. */
  finish(): void {
    for (const tracked of this.#tracked.values()) this.#writeLast(tracked);
  }

  /** Between two ticks: texts that no process has any more were deleted. */
  reloadTexts(): void {
    this.#texts.reload();
  }

  #welcome(reading: ProcessReading): void {
    const process = this.#nextProcess + this.#newcomers.length;
    // A million processes in one file: what comes then has no number left.
    if (process >= processesPerTick) return;
    this.#newcomers.push({
      process,
      pid: reading.pid,
      startTicks: reading.startTicks,
      reading: null,
      stored: null,
      told: null,
      storedSequence: 0,
      dueSequence: 0,
      peakRssBytes: null,
      peakPssBytes: null,
      next: reading,
      nextIsStored: true,
      nextIsTold: true,
    });
  }

  #meet(tracked: Tracked, reading: ProcessReading, moment: TickMoment): void {
    this.#insertProcess.run(
      tracked.process,
      reading.pid,
      reading.startTicks,
      moment.sequence,
      moment.timeUnixMs,
      Math.round(reading.cpuMs),
      ...this.#latest(tracked, reading),
    );
    this.#writeRow(tracked.process, reading, moment.sequence);
  }

  #follow(tracked: Tracked, reading: ProcessReading, moment: TickMoment): void {
    const { stored, reading: before } = tracked;
    const isDue = moment.sequence >= tracked.dueSequence || reading.pssBytes !== null;
    tracked.nextIsTold =
      before === null ||
      isOtherwise(before, reading) ||
      (this.#isNewMinute && reading !== tracked.told);
    if (tracked.nextIsTold) this.#update(tracked, reading);
    // The very same reading as before: an idle process.
    if (reading === before && reading === stored && !isDue) {
      tracked.nextIsStored = false;
      return;
    }
    tracked.nextIsStored = stored === null || isDue || isWorthStoring(stored, reading);
    if (tracked.nextIsStored) this.#writeRow(tracked.process, reading, moment.sequence);
  }

  #bury(tracked: Tracked, moment: TickMoment): void {
    this.#writeLast(tracked);
    this.#vanished.push(tracked);
    if (this.#last === null) return;
    const { sequence, timeUnixMs } = this.#last;
    this.#endProcess.run(sequence, timeUnixMs, moment.timeUnixMs, tracked.process);
  }

  #writeLast(tracked: Tracked): void {
    const { reading } = tracked;
    if (reading === null || this.#last === null) return;
    if (tracked.storedSequence < this.#last.sequence) {
      this.#writeRow(tracked.process, reading, this.#last.sequence);
    }
    this.#update(tracked, reading);
  }

  #writeRow(process: number, reading: ProcessReading, sequence: number): void {
    const values = processRowValues(sequence * processesPerTick + process, reading);
    if (reading.pssBytes === null) this.#insertRow.run(values);
    else this.#insertPssRow.run([...values, ...pssValues(reading)]);
  }

  #update(tracked: Tracked, reading: ProcessReading): void {
    this.#updateProcess.run(...this.#latest(tracked, reading), tracked.process);
  }

  #latest(tracked: Tracked, reading: ProcessReading): SqlValue[] {
    return latestValues({
      reading,
      peakRssBytes: peakRss(tracked, reading),
      peakPssBytes: higher(tracked.peakPssBytes, reading.pssBytes),
      texts: this.#texts,
    });
  }

  #boundTexts(): void {
    if (this.#texts.size < mostForgettable + 4 * this.#tracked.size) return;
    const used = [...this.#tracked.values()].map(({ reading }) => reading);
    this.#texts.forgetAllBut(
      new Set(used.flatMap((reading) => [reading?.command ?? null, reading?.cgroup ?? null])),
    );
  }
}

/** The tick under way was committed. */
function settle(tracked: Tracked, sequence: number): void {
  const { next } = tracked;
  if (next === null) return;
  tracked.reading = next;
  tracked.peakRssBytes = peakRss(tracked, next);
  tracked.peakPssBytes = higher(tracked.peakPssBytes, next.pssBytes);
  if (tracked.nextIsTold) tracked.told = next;
  if (!tracked.nextIsStored) return;
  tracked.dueSequence = sequence + distanceToHeartbeat(tracked);
  tracked.stored = next;
  tracked.storedSequence = sequence;
}

// The first one comes early, at another tick for each process, so that the rows of many processes
// that were met in one tick do not stay together for ever.
function distanceToHeartbeat(tracked: Tracked): number {
  return tracked.stored === null ? 1 + (tracked.process % heartbeatTicks) : heartbeatTicks;
}

function peakRss(tracked: Tracked, reading: ProcessReading): number | null {
  return higher(tracked.peakRssBytes, higher(reading.rssBytes, reading.peakRssBytes));
}

function higher(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.max(a, b);
}

function lastProcess(db: Database): number {
  return db.prepare('SELECT coalesce(max(process), 0) FROM process').pluck().get() as number;
}

/** Processes that an earlier run on this boot saw last; they may be there still. */
function openProcesses(db: Database): Tracked[] {
  const rows = db
    .prepare(
      `SELECT process, pid, start_ticks AS startTicks, peak_rss_bytes AS peakRssBytes,
         peak_pss_bytes AS peakPssBytes
       FROM process WHERE last_sequence IS NULL`,
    )
    .all() as Pick<Tracked, 'process' | 'pid' | 'startTicks' | 'peakRssBytes' | 'peakPssBytes'>[];
  return rows.map((row) => ({
    ...row,
    reading: null,
    stored: null,
    told: null,
    storedSequence: 0,
    dueSequence: 0,
    next: null,
    nextIsStored: false,
    nextIsTold: false,
  }));
}
