import type { Recording } from '../../../model/recording.ts';
import type { TimeRange } from '../../../model/time-range.ts';
import { fieldReader, viewOf } from '../../tick-view.ts';
import { roleRecords } from '../tables/role-table.ts';
import { counterPacket, type Track, trackPacket } from './trace-packet.ts';
import { roleCounters, sessionCounters, vmCounters } from './tracks.ts';

/** The figures of every tick. */
export function* sessionTicks(recording: Recording, range: TimeRange): Generator<Uint8Array> {
  const changes = new Changes();
  const counters = [...sessionCounters, ...vmCounters].map(({ track, field }) => ({
    track,
    read: fieldReader(field),
  }));
  for (const tick of recording.ticks(range)) {
    const view = viewOf(tick, null);
    for (const { track, read } of counters) yield* changes.tell(track, tick.timeUnixMs, read(view));
  }
}

/** The sums of every role at every tick. */
export function* roleTicks(recording: Recording, range: TimeRange): Generator<Uint8Array> {
  const changes = new Changes();
  for (const record of roleRecords(recording, range)) {
    for (const { track, figure } of roleCounters(record.role)) {
      yield* changes.tell(track, record.timeUnixMs, record[figure]);
    }
  }
}

/** A counter holds until its next value, so one that stays as it was need not be said again. */
class Changes {
  readonly #last = new Map<number, number>();

  *tell(track: Track, unixMs: number, value: number | null): Generator<Uint8Array> {
    // There is no unknown in a trace: the last value stays.
    if (value === null) return;
    const last = this.#last.get(track.uuid);
    if (last === value) return;
    if (last === undefined) yield trackPacket(track, unixMs);
    this.#last.set(track.uuid, value);
    yield counterPacket(track.uuid, unixMs, value);
  }
}
