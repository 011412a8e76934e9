import type { TimeRange } from '../model/time-range.ts';
import type { Database } from './driver.ts';
import { rollupSpanMs } from './minute-rollup.ts';
import type { SequenceRange } from './tick-rows.ts';

/** Consecutive ticks that lie in one minute of the wall clock. */
export interface MinuteStretch extends SequenceRange {
  startUnixMs: number;
}

/** The stretches that a time range touches, by sequence; their ends may lie outside of it. */
export function minuteStretches(db: Database, range: TimeRange): MinuteStretch[] {
  return db
    .prepare<[], MinuteStretch>(
      `SELECT start_unix_ms AS startUnixMs, sequence AS first,
         lead(sequence, 1, ${Number.MAX_SAFE_INTEGER}) OVER (ORDER BY sequence) - 1 AS last
       FROM tick_minute ORDER BY sequence`,
    )
    .all()
    .filter(({ startUnixMs }) => {
      const endUnixMs = startUnixMs + rollupSpanMs - 1;
      return endUnixMs >= fromOf(range) && startUnixMs <= toOf(range);
    });
}

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

/** Whether all of a minute is in the range. */
export function isMinuteInRange(startUnixMs: number, range: TimeRange): boolean {
  return startUnixMs >= fromOf(range) && startUnixMs + rollupSpanMs - 1 <= toOf(range);
}

export function fromOf(range: TimeRange): number {
  return range.fromUnixMs ?? Number.NEGATIVE_INFINITY;
}

export function toOf(range: TimeRange): number {
  return range.toUnixMs ?? Number.POSITIVE_INFINITY;
}
