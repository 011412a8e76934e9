import { hasAgentOsTable } from './agentos-rows.ts';
import { type Database, transaction } from './driver.ts';
import { writeFailure } from './outage.ts';
import { processesPerTick } from './process-row-columns.ts';
import { hourMs, hourOf, minuteMs, rollupKeyRange } from './rollup-key.ts';
import { RollupRows } from './rollup-rows.ts';
import { RollupWriter } from './rollup-writer.ts';
import { readWatermarks, type Watermarks } from './session-row.ts';
import { heartbeatTicks } from './sparse-rule.ts';

/** `spare`: there should be more room. `need`: without it the next sample cannot be written. */
export type Urgency = 'spare' | 'need';

// So many of the last minutes stay as they are.
const keptMinutes: Readonly<Record<Urgency, number>> = { spare: 10, need: 2 };
// What a row takes in the file, on average.
const tickBytes = 155;
const rollupBytes = 70;
const processRowBytes = 29;
const recentTicks = 100;

interface Stretch {
  first: number;
  /** The first tick that does not belong to it. */
  end: number;
}

/**
 * Makes room in a file, the oldest detail first: of a minute whose rollups are there the last tick
 * stays, later of an hour. Rollups, events and the last minutes stay whole. What a step does is bounded
 * by what a minute holds, and a step is a transaction of its own.
 */
export class Retention {
  readonly #db: Database;
  readonly #path: string;
  readonly #onTextsGone: () => void;

  /** `onTextsGone`: rows of `process_text` were deleted. */
  constructor(db: Database, path: string, onTextsGone: () => void) {
    this.#db = db;
    this.#path = path;
    this.#onTextsGone = onTextsGone;
  }

  /** One step. False when there is nothing left to take away, or the file cannot be written. */
  thin(urgency: Urgency): boolean {
    try {
      return this.#step(urgency);
    } catch (error) {
      writeFailure(error, this.#path);
      return false;
    }
  }

  #step(urgency: Urgency): boolean {
    const marks = readWatermarks(this.#db);
    const minute = nextMinute(this.#db, marks, keptMinutes[urgency]);
    const hour = nextHour(this.#db, marks);
    if (hour !== null && (minute === null || isMinutesTurn(this.#db, marks))) {
      transaction(this.#db, 'immediate', () => thinHour(this.#db, hour));
      this.#onTextsGone();
      return true;
    }
    if (minute === null) return false;
    transaction(this.#db, 'immediate', () => thinMinute(this.#db, minute));
    return true;
  }
}

/** The oldest minute of which all ticks are there; null when it is one of the last. */
function nextMinute(db: Database, marks: Watermarks, kept: number): Stretch | null {
  const after = db
    .prepare<[number, number], number>(
      'SELECT sequence FROM tick_minute WHERE sequence >= ? ORDER BY sequence LIMIT ?',
    )
    .pluck()
    .all(marks.fullFromSequence, kept + 2);
  const [first, end] = after;
  if (first === undefined || end === undefined || after.length < kept + 2) return null;
  return { first, end };
}

/** The oldest hour that has a tick a minute; null when that hour goes on with every tick. */
function nextHour(db: Database, marks: Watermarks): (Stretch & { hourUnixMs: number }) | null {
  const oldest = db
    .prepare<[number], { first: number; startUnixMs: number }>(
      `SELECT sequence AS first, start_unix_ms AS startUnixMs FROM tick_minute
       WHERE sequence >= ? ORDER BY sequence LIMIT 1`,
    )
    .get(marks.minutesFromSequence);
  if (oldest === undefined) return null;
  const hourUnixMs = hourOf(oldest.startUnixMs);
  const end = db
    .prepare<[number, number, number], number>(
      `SELECT sequence FROM tick_minute
       WHERE sequence > ? AND start_unix_ms NOT BETWEEN ? AND ? ORDER BY sequence LIMIT 1`,
    )
    .pluck()
    .get(oldest.first, hourUnixMs, hourUnixMs + hourMs - 1);
  if (end === undefined || end > marks.fullFromSequence) return null;
  return { first: oldest.first, end, hourUnixMs };
}

/**
 * Whether what is known by minutes takes more than what is known by ticks: each gets about half. By
 * what rows take on average, since to count their bytes would mean to read all of the file.
 */
function isMinutesTurn(
  db: Database,
  { minutesFromSequence, fullFromSequence }: Watermarks,
): boolean {
  const counts = db
    .prepare<
      Record<string, number>,
      { last: number; minutes: number; series: number; rows: number }
    >(
      `SELECT last,
         (SELECT count(*) FROM tick_minute WHERE sequence >= @from AND sequence < @full) AS minutes,
         (SELECT count(*) FROM series) AS series,
         (SELECT count(*) FROM process_row WHERE key >= (last - @recent) * ${processesPerTick}) AS rows
       FROM (SELECT max(sequence) AS last FROM tick)`,
    )
    .get({ from: minutesFromSequence, full: fullFromSequence, recent: recentTicks });
  if (counts === undefined) return false;
  const { last, minutes, series, rows } = counts;
  const bytesOfMinutes = minutes * (tickBytes + series * rollupBytes);
  const bytesOfTick = tickBytes + (rows / recentTicks) * processRowBytes;
  return bytesOfMinutes > (last - fullFromSequence) * bytesOfTick;
}

function thinMinute(db: Database, stretch: Stretch): void {
  db.prepare(
    `UPDATE tick_minute SET
       tick_count = (SELECT count(*) FROM tick WHERE sequence >= ? AND sequence < ?)
     WHERE sequence = ?`,
  ).run(stretch.first, stretch.end, stretch.first);
  keepLastTick(db, stretch);
  // The rows before the first tick that stays say how things stood then.
  const end = (stretch.end - heartbeatTicks) * processesPerTick;
  db.prepare('DELETE FROM process_row WHERE key < ?').run(end);
  db.prepare('DELETE FROM process_pss_row WHERE key < ?').run(end);
  forgetProcesses(db, stretch.end - heartbeatTicks, 'AND browser_pid IS NULL');
  db.prepare('UPDATE session SET full_from_sequence = ?').run(stretch.end);
}

function thinHour(db: Database, hour: Stretch & { hourUnixMs: number }): void {
  const { first, end, hourUnixMs } = hour;
  const isClosed = new RollupRows(db).firstWindow(hourMs, hourUnixMs, hourUnixMs + hourMs) !== null;
  if (!isClosed) new RollupWriter(db).writeHour(hourUnixMs);
  db.prepare('DELETE FROM rollup WHERE key >= ? AND key < ?').run(
    ...rollupKeyRange(minuteMs, hourUnixMs, hourUnixMs + hourMs),
  );
  keepLastTick(db, hour);
  db.prepare(
    `UPDATE tick_minute SET tick_count =
       (SELECT sum(tick_count) FROM tick_minute WHERE sequence >= ? AND sequence < ?)
     WHERE sequence = ?`,
  ).run(first, end, first);
  db.prepare('DELETE FROM tick_minute WHERE sequence > ? AND sequence < ?').run(first, end);
  forgetProcesses(db, end, '');
  db.exec(`
    DELETE FROM process_text WHERE text NOT IN (
      SELECT command_text FROM process WHERE command_text IS NOT NULL
      UNION SELECT cgroup_text FROM process WHERE cgroup_text IS NOT NULL)`);
  db.prepare('UPDATE session SET minutes_from_sequence = ?').run(end);
}

function keepLastTick(db: Database, { first, end }: Stretch): void {
  const kept = db
    .prepare<[number], number>('SELECT max(sequence) FROM tick WHERE sequence < ?')
    .pluck()
    .get(end);
  if (kept === undefined) return;
  db.prepare('DELETE FROM tick WHERE sequence >= ? AND sequence < ?').run(first, kept);
  if (hasAgentOsTable(db)) {
    db.prepare('DELETE FROM agentos_tick WHERE sequence >= ? AND sequence < ?').run(first, kept);
  }
  // Settings that hold at no tick any more.
  db.prepare(
    `DELETE FROM tick_setting WHERE sequence >= ?
       AND sequence < (SELECT max(sequence) FROM tick_setting WHERE sequence <= ?)`,
  ).run(first, kept);
}

/** Processes that ended before a tick; whom an OOM kill names stays. */
function forgetProcesses(db: Database, beforeSequence: number, condition: string): void {
  db.prepare(
    `DELETE FROM process WHERE last_sequence < ? ${condition} AND process NOT IN (
       SELECT process FROM event WHERE kind = 'oom_kill' AND process IS NOT NULL)`,
  ).run(beforeSequence);
}
