import type { ResolutionStretch } from '../model/recording.ts';
import type { TimeRange } from '../model/time-range.ts';
import type { Database } from './driver.ts';
import { readWatermarks } from './session-row.ts';
import { fromOf, toOf } from './time-stretches.ts';

/** How finely each stretch of a recording is known, oldest first. */
export function readResolutions(db: Database, range: TimeRange): ResolutionStretch[] {
  const { minutesFromSequence, fullFromSequence } = readWatermarks(db);
  return [
    thinned(db, range, { resolution: 'hours', first: 0, end: minutesFromSequence }),
    thinned(db, range, {
      resolution: 'minutes',
      first: minutesFromSequence,
      end: fullFromSequence,
    }),
    full(db, range, fullFromSequence),
  ].filter((stretch) => stretch !== null);
}

interface Counted {
  fromUnixMs: number | null;
  toUnixMs: number;
  sampleCount: number;
  sequenceCount: number;
}

/** A window belongs to the range when it begins there. */
function thinned(
  db: Database,
  range: TimeRange,
  part: { resolution: ResolutionStretch['resolution']; first: number; end: number },
): ResolutionStretch | null {
  const { resolution, first, end } = part;
  if (first >= end) return null;
  const counted = db
    .prepare<number[], Counted>(
      `SELECT max(min(start_unix_ms), (SELECT started_unix_ms FROM session)) AS fromUnixMs,
         max((SELECT max(time_unix_ms) FROM tick
           WHERE sequence >= window.sequence AND sequence < window.end)) AS toUnixMs,
         sum(tick_count) AS sampleCount, sum(window.end - window.sequence) AS sequenceCount
       FROM (
         SELECT *, lead(sequence) OVER (ORDER BY sequence) AS end FROM tick_minute
       ) AS window
       WHERE sequence >= ? AND sequence < ? AND start_unix_ms BETWEEN ? AND ?`,
    )
    .get(first, end, fromOf(range), toOf(range));
  if (counted === undefined || counted.fromUnixMs === null) return null;
  const { fromUnixMs, toUnixMs, sampleCount, sequenceCount } = counted;
  const lostCount = sequenceCount - sampleCount;
  return { resolution, fromUnixMs, toUnixMs, firstSequence: first, sampleCount, lostCount };
}

function full(db: Database, range: TimeRange, first: number): ResolutionStretch | null {
  const counted = db
    .prepare<number[], Omit<Counted, 'sequenceCount'>>(
      `SELECT min(time_unix_ms) AS fromUnixMs, max(time_unix_ms) AS toUnixMs,
         count(*) AS sampleCount
       FROM tick WHERE sequence >= ? AND time_unix_ms BETWEEN ? AND ?`,
    )
    .get(first, fromOf(range), toOf(range));
  if (counted === undefined || counted.fromUnixMs === null) return null;
  const { fromUnixMs, toUnixMs, sampleCount } = counted;
  const resolution = 'ticks' as const;
  return { resolution, fromUnixMs, toUnixMs, firstSequence: first, sampleCount, lostCount: 0 };
}
