import type { Recording, StoredEvent } from '../../model/recording.ts';
import {
  type Batch,
  type BatchLimits,
  type Horizon,
  type ItemReader,
  inTime,
  type Position,
} from './batch.ts';
import { type EventRecord, endRecord, eventRecord, startRecord } from './event-record.ts';

/**
 * Cuts the events of a recording into batches of log records, as they were written: an event that the
 * kernel tells late comes late and is not missed. The first batch begins with the start of the session.
 */
export class EventReader implements ItemReader<EventRecord> {
  #row: number;
  #timeUnixMs: number;
  #isStarted: boolean;
  #closed: boolean;

  /** Null: nothing was delivered before, not even the start of the session. */
  constructor(recording: Recording, from: Position | null) {
    this.#row = from?.sequence ?? 0;
    this.#timeUnixMs = recording.facts.startedUnixMs;
    this.#isStarted = from !== null;
    this.#closed = from?.isClosed ?? false;
  }

  next(recording: Recording, limits: BatchLimits, horizon: Horizon): Batch<EventRecord> | null {
    const { facts } = recording;
    const records: EventRecord[] = [];
    const fromRow = this.#row;
    if (!this.#isStarted) records.push(startRecord(facts));
    const stored = this.#take(recording, limits, horizon);
    for (const event of stored) {
      const record = eventRecord(event, facts);
      if (record !== null) records.push(record);
    }
    if (stored.length > 0) this.#closed = false;
    const isAtEnd = horizon.ended && stored.length < limits.items;
    // Of a copy of a recording that went on nobody knows the end.
    const closesSession = isAtEnd && !this.#closed && facts.endReason !== 'copied';
    if (closesSession) {
      records.push(endRecord(facts, recording.lastTick()?.timeUnixMs ?? facts.startedUnixMs));
      this.#closed = true;
    }
    this.#isStarted = true;
    // Rows that are no records are passed all the same.
    if (records.length === 0 && this.#row === fromRow) return null;
    return {
      ...inTime(records, horizon),
      sequence: this.#row,
      timeUnixMs: this.#timeUnixMs,
      closesSession,
    };
  }

  #take(recording: Recording, limits: BatchLimits, { toUnixMs }: Horizon): StoredEvent[] {
    const events = recording.storedEvents(this.#row, limits.items);
    const end = events.findIndex(
      ({ tickUnixMs }) => toUnixMs !== undefined && tickUnixMs > toUnixMs,
    );
    const taken = end === -1 ? events : events.slice(0, end);
    const last = taken.at(-1);
    if (last !== undefined) {
      this.#row = last.row;
      this.#timeUnixMs = last.tickUnixMs;
    }
    return taken;
  }
}
