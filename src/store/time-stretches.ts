import type { TimeRange } from '../model/time-range.ts';
import type { Database } from './driver.ts';
import { minuteMs, type SpanMs } from './rollup-key.ts';
import type { SequenceRange } from './tick-rows.ts';

/** Consecutive ticks that lie in one minute of the wall clock. */
export interface MinuteStretch extends SequenceRange {
  startUnixMs: number;
}

/** The stretches that a time range touches, by sequence; their ends may lie outside of it. */
export function minuteStretches(db: Database, range: TimeRange): MinuteStretch[] {
  return db
    .prepare<[number, number], MinuteStretch>(`${selectStretches} ORDER BY sequence`)
    .all(fromOf(range) - minuteMs, toOf(range));
}

/** Of these the ones that are cut by an end of the range, or hold a tick that is in no rollup yet. */
export function looseStretches(
  db: Database,
  range: TimeRange,
  rolledUpSequence: number,
): MinuteStretch[] {
  return db
    .prepare<number[], MinuteStretch>(
      `${selectStretches}
         AND (start_unix_ms < ? OR start_unix_ms > ? - ${minuteMs - 1}
           OR sequence >= coalesce(
             (SELECT max(sequence) FROM tick_minute WHERE sequence <= ? + 1), 0))
       ORDER BY sequence`,
    )
    .all(fromOf(range) - minuteMs, toOf(range), fromOf(range), toOf(range), rolledUpSequence);
}

const selectStretches = `
  SELECT start_unix_ms AS startUnixMs, sequence AS first,
    coalesce(
      (SELECT min(next.sequence) - 1 FROM tick_minute AS next
        WHERE next.sequence > tick_minute.sequence),
      (SELECT max(sequence) FROM tick)) AS last
  FROM tick_minute
  WHERE start_unix_ms > ? AND start_unix_ms <= ?`;

/** The same, joined where they follow each other. */
export function stretchesOf(db: Database, range: TimeRange): SequenceRange[] {
  return joinStretches(minuteStretches(db, range));
}

/** Joins stretches that follow each other, so that each can be read in one go. */
export function joinStretches(stretches: readonly SequenceRange[]): SequenceRange[] {
  const joined: SequenceRange[] = [];
  for (const { first, last } of stretches) {
    const before = joined.at(-1);
    if (before?.last === first - 1) before.last = last;
    else joined.push({ first, last });
  }
  return joined;
}

export function isInRange(timeUnixMs: number, range: TimeRange): boolean {
  return timeUnixMs >= fromOf(range) && timeUnixMs <= toOf(range);
}

/** Whether all of a window is in the range. */
export function isWindowInRange(startUnixMs: number, spanMs: SpanMs, range: TimeRange): boolean {
  return startUnixMs >= fromOf(range) && startUnixMs + spanMs - 1 <= toOf(range);
}

export function fromOf(range: TimeRange): number {
  return range.fromUnixMs ?? Number.NEGATIVE_INFINITY;
}

export function toOf(range: TimeRange): number {
  return range.toUnixMs ?? Number.POSITIVE_INFINITY;
}
