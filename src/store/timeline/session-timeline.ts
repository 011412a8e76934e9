import type { Timeline, TimelineRequest } from '../../model/timeline.ts';
import type { Database } from '../driver.ts';
import { minuteMs } from '../rollup-key.ts';
import { readWatermarks } from '../session-row.ts';
import { isClockGap, TimelineBuilder } from './bucket.ts';
import { type ReadWindows, sharedWindows } from './rollup-windows.ts';
import { tickBuckets } from './tick-buckets.ts';
import { areWindowsApart, sessionFigures, windowBuckets } from './window-buckets.ts';

/**
 * Memory, limit and pressure of a window, at most two points a column and one for each hole. Where a
 * column is a minute or more, and where the ticks are gone, out of the rollups; else out of the ticks.
 */
export function readTimeline(
  db: Database,
  request: TimelineRequest,
  readWindows: ReadWindows = sharedWindows(db, sessionFigures),
): Timeline {
  const { fromUnixMs, toUnixMs } = request;
  const columnMs = columnMsOf(request);
  const fromSequence = readWatermarks(db).fullFromSequence;
  const builder = new TimelineBuilder();
  const fullFromUnixMs = columnMs >= minuteMs ? toUnixMs : startOfTicks(db, fromSequence);
  let restFromUnixMs = fromUnixMs;
  if (fullFromUnixMs > fromUnixMs) {
    const range = { fromUnixMs, toUnixMs: Math.min(toUnixMs, fullFromUnixMs - 1) };
    const { buckets, endUnixMs } = windowBuckets(db, readWindows, { range, columnMs });
    for (const bucket of buckets) builder.add(bucket, areWindowsApart);
    restFromUnixMs = Math.max(fromUnixMs, endUnixMs);
  }
  const rest = { fromUnixMs: restFromUnixMs, toUnixMs };
  const isHole = isClockGap(intervalMsOf(db));
  for (const bucket of tickBuckets(db, rest, { columnMs, fromSequence })) {
    // Behind a window no tick is missing that is not told by the window after it.
    builder.add(bucket, (before, after) =>
      before.firstMonotonicMs === null
        ? after.firstUnixMs > before.lastUnixMs + minuteMs
        : isHole(before, after),
    );
  }
  return builder.result();
}

/** How long a column of a request is. */
export function columnMsOf({ fromUnixMs, toUnixMs, columns }: TimelineRequest): number {
  return Math.max(1, (toUnixMs - fromUnixMs) / columns);
}

/** From when on every tick is there. */
export function startOfTicks(db: Database, fullFromSequence: number): number {
  const time = db
    .prepare<[number], number>(
      'SELECT time_unix_ms FROM tick WHERE sequence >= ? ORDER BY sequence',
    )
    .pluck()
    .get(fullFromSequence);
  return fullFromSequence <= 1 ? Number.NEGATIVE_INFINITY : (time ?? Number.POSITIVE_INFINITY);
}

export function intervalMsOf(db: Database): number {
  return db.prepare<[], number>('SELECT interval_ms FROM session').pluck().get() ?? 1000;
}
