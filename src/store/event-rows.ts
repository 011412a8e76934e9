import type { Gap, RecordingEvent } from '../model/event.ts';
import { processRoles } from '../model/process-role.ts';
import type { EventProcess, StoredEvent } from '../model/recording.ts';
import type { TimeRange } from '../model/time-range.ts';
import type { Database, Statement } from './driver.ts';
import { eventOf } from './event-detail.ts';
import { insertSql } from './insert-sql.ts';
import { checkShape, type RowShape } from './row-shape.ts';
import { fromOf, toOf } from './time-stretches.ts';

/** Writes events; what is not a column of its own is the JSON of `detail`. */
export class EventWriter {
  readonly #insert: Statement;
  readonly #findByStart: Statement;
  readonly #findByName: Statement;
  readonly #exit: Statement;

  constructor(db: Database) {
    this.#insert = db.prepare(
      insertSql('event', ['sequence', 'tick_unix_ms', 'time_unix_ms', 'kind', 'process', 'detail']),
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
  write(event: RecordingEvent, tick: { sequence: number; timeUnixMs: number }): void {
    const { kind, timeUnixMs, ...detail } = event;
    const process = this.#processOf(event);
    const time = timeUnixMs === null ? null : Math.round(timeUnixMs);
    this.#insert.run(tick.sequence, tick.timeUnixMs, time, kind, process, JSON.stringify(detail));
    if (kind === 'process_exit' && process !== null) {
      this.#exit.run(event.exitCode, event.signal, process);
    }
  }

  #processOf(event: RecordingEvent): number | null {
    if (event.kind === 'page' || event.kind === 'target_crash') {
      if (event.pid === null) return null;
      return (this.#findByStart.get(event.pid, event.startTicks) as number | undefined) ?? null;
    }
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
      `SELECT time_unix_ms AS timeUnixMs, kind, detail FROM event
       WHERE coalesce(time_unix_ms, tick_unix_ms) BETWEEN ? AND ?
       ORDER BY coalesce(time_unix_ms, tick_unix_ms), event`,
    )
    .all(fromOf(range), toOf(range))
    .map(eventOf);
}

/** The gaps that the recorder noted, by time. */
export function readGaps(db: Database): Gap[] {
  return db
    .prepare<[], EventRow>(
      `SELECT time_unix_ms AS timeUnixMs, kind, detail FROM event WHERE kind = 'gap'
       ORDER BY time_unix_ms, event`,
    )
    .all()
    .map(eventOf)
    .filter((event) => event.kind === 'gap');
}

/** Events by their row, each with the process that it is about. */
export function readStoredEvents(
  db: Database,
  { afterRow, limit }: { afterRow: number; limit: number },
): StoredEvent[] {
  return db
    .prepare<[number, number], StoredEventRow>(
      `SELECT event AS row, tick_unix_ms AS tickUnixMs, time_unix_ms AS timeUnixMs, kind, detail,
         process.pid, role, browser_pid AS browserPid, comm, executable
       FROM event LEFT JOIN process ON process.process = event.process
       WHERE event > ? ORDER BY event LIMIT ?`,
    )
    .all(afterRow, limit)
    .map(({ row, tickUnixMs, timeUnixMs, kind, detail, ...process }) => ({
      row,
      tickUnixMs,
      event: eventOf({ timeUnixMs, kind, detail }),
      process: process.pid === null ? null : checkedProcess(process as EventProcess, row),
    }));
}

interface StoredEventRow extends EventRow {
  row: number;
  tickUnixMs: number;
  pid: number | null;
  role: string | null;
  browserPid: number | null;
  comm: string | null;
  executable: string | null;
}

function checkedProcess(process: EventProcess, row: number): EventProcess {
  return checkShape(process, processShape, `the process of event ${row}`);
}

const processShape: RowShape<EventProcess> = {
  pid: 'number',
  role: processRoles,
  browserPid: 'number?',
  comm: 'string',
  executable: 'string?',
};

interface EventRow {
  timeUnixMs: number | null;
  kind: string;
  detail: string;
}
