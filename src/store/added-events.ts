import type { RecordingEvent } from '../model/event.ts';
import { type Database, fileError, transaction } from './driver.ts';
import { EventWriter } from './event-rows.ts';
import { openForChange } from './open-for-change.ts';

/** Where an event stands in a file: its row, and the tick that it came with. */
export interface EventPlace {
  row: number;
  sequence: number;
  tickUnixMs: number;
}

export interface AddedEvent {
  /** Null: the place stays empty. */
  event: RecordingEvent | null;
  /** In an earlier copy of this recording; null: it is new, and goes behind all others. */
  place: EventPlace | null;
}

export interface AddedEvents {
  events: readonly AddedEvent[];
  /** Rows of kills that were thought to be older than the recording, and are not. */
  killsOfRecording: readonly number[];
}

const busyTimeoutMs = 500;

/**
 * Adds events that somebody else recorded to a recording that nobody writes; gives the place of each.
 * What an earlier copy had keeps its row there, and the others go round it in their order: whoever has
 * read up to a row of that copy has read the same events in this one. STORE_BUSY, STORE_FULL,
 * FILE_NOT_WRITABLE, FILE_CORRUPT. The checksums have to be made anew.
 */
export function addEvents(path: string, added: AddedEvents): EventPlace[] {
  const db = openForChange(path, { busyTimeoutMs });
  try {
    return transaction(db, 'immediate', () => {
      for (const row of added.killsOfRecording) {
        db.prepare(
          `UPDATE event SET detail = json_set(detail, '$.beforeStart', json('false')) WHERE event = ?`,
        ).run(row);
      }
      const taken = added.events.flatMap(({ place }) => place ?? []).sort((a, b) => a.row - b.row);
      for (const { row } of taken) makeRoom(db, row);
      return added.events.map((each) => write(db, each));
    });
  } catch (error) {
    throw fileError(error, path);
  } finally {
    db.close();
  }
}

/** Moves what is there and behind it by one. */
function makeRoom(db: Database, row: number): void {
  // By way of numbers that no row has: SQLite checks each row as it moves it.
  db.prepare('UPDATE event SET event = -event - 1 WHERE event >= ?').run(row);
  db.prepare('UPDATE event SET event = -event WHERE event < 0').run();
}

function write(db: Database, { event, place }: AddedEvent): EventPlace {
  const at = place ?? { row: lastRow(db) + 1, ...lastTick(db) };
  if (event === null) return at;
  const { sequence, tickUnixMs: timeUnixMs } = at;
  new EventWriter(db).write(event, { sequence, timeUnixMs });
  db.prepare('UPDATE event SET event = ? WHERE event = last_insert_rowid()').run(at.row);
  return at;
}

function lastRow(db: Database): number {
  return Number(db.prepare('SELECT coalesce(max(event), 0) FROM event').pluck().get());
}

/** Of a recording without a sample its start. */
function lastTick(db: Database): Omit<EventPlace, 'row'> {
  const tick = db
    .prepare<[], Omit<EventPlace, 'row'>>(
      'SELECT sequence, time_unix_ms AS tickUnixMs FROM tick ORDER BY sequence DESC LIMIT 1',
    )
    .get();
  if (tick !== undefined) return tick;
  const started = db.prepare('SELECT started_unix_ms FROM session').pluck().get();
  return { sequence: 0, tickUnixMs: Number(started) };
}
