import type { RecordingEvent } from '../model/event.ts';
import type { TimeRange } from '../model/time-range.ts';
import type { Database, Statement } from './driver.ts';
import { eventOf } from './event-detail.ts';
import { fromOf, toOf } from './time-stretches.ts';

/** Writes events; what is not a column of its own is the JSON of `detail`. */
export class EventWriter {
  readonly #insert: Statement;
  readonly #findByStart: Statement;
  readonly #findByName: Statement;
  readonly #exit: Statement;

  constructor(db: Database) {
    this.#insert = db.prepare(
      'INSERT INTO event (sequence, time_unix_ms, kind, process, detail) VALUES (?, ?, ?, ?, ?)',
    );
    this.#findByStart = db
      .prepare(
        `SELECT process FROM process WHERE pid = ? AND start_ticks = coalesce(?, start_ticks)
         ORDER BY process DESC LIMIT 1`,
      )
      .pluck();
    this.#findByName = db
      .prepare(
        'SELECT process FROM process WHERE pid = ? AND comm = ? ORDER BY process DESC LIMIT 1',
      )
      .pluck();
    this.#exit = db.prepare(
      'UPDATE process SET exit_code = coalesce(?, exit_code), signal = coalesce(?, signal) WHERE process = ?',
    );
  }

  /** Within the transaction of the tick, after its processes. */
  write(event: RecordingEvent, sequence: number): void {
    const { kind, timeUnixMs, ...detail } = event;
    const process = this.#processOf(event);
    const time = timeUnixMs === null ? null : Math.round(timeUnixMs);
    this.#insert.run(sequence, time, kind, process, JSON.stringify(detail));
    if (kind === 'process_exit' && process !== null) {
      this.#exit.run(event.exitCode, event.signal, process);
    }
  }

  #processOf(event: RecordingEvent): number | null {
    if (event.kind === 'process_exit') {
      return (this.#findByStart.get(event.pid, event.startTicks) as number | undefined) ?? null;
    }
    // In a container the kernel's pid is another one; the name guards against a chance hit.
    if (event.kind === 'oom_kill' && !event.beforeStart) {
      return (this.#findByName.get(event.pid, event.comm) as number | undefined) ?? null;
    }
    return null;
  }
}

/** The events of a time range, by time; one without a time has that of the tick it came with. */
export function readEvents(db: Database, range: TimeRange): RecordingEvent[] {
  return db
    .prepare<[number, number], EventRow>(
      `SELECT event.time_unix_ms AS timeUnixMs, kind, detail
       FROM event JOIN tick ON tick.sequence = event.sequence
       WHERE coalesce(event.time_unix_ms, tick.time_unix_ms) BETWEEN ? AND ?
       ORDER BY coalesce(event.time_unix_ms, tick.time_unix_ms), event`,
    )
    .all(fromOf(range), toOf(range))
    .map(eventOf);
}

interface EventRow {
  timeUnixMs: number | null;
  kind: string;
  detail: string;
}
