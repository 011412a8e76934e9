import type { Gap } from '../../model/event.ts';
import { readDistribution, readSeries } from '../distribution.ts';
import type { Database } from '../driver.ts';
import { readEvents } from '../event-rows.ts';
import { readProcessRecords } from '../process-records.ts';
import { damagedFile } from '../reading-error.ts';
import { readSession, type SessionRow } from '../session-row.ts';
import type { Contents } from './verification.ts';

export interface CheckedContents {
  session: SessionRow;
  contents: Contents;
  /** Samples that should be there by their number, and that no gap accounts for. */
  missing: readonly Hole[];
}

/** Samples that are not there. */
export interface Hole {
  /** Numbers of the samples that are missing. */
  firstSequence: number;
  lastSequence: number;
  /** When the samples around them were taken. */
  fromUnixMs: number;
  toUnixMs: number;
  fromMonotonicMs: number;
  toMonotonicMs: number;
}

/**
 * Reads what a report would read, in one state of the file. Throws what reading throws: see
 * {@link readingError}.
 */
export function checkContents(db: Database, path: string): CheckedContents {
  const session = readSession(db);
  if (session === null) throw damagedFile(path, 'the row of the session is missing');
  const events = readEvents(db, {});
  for (const series of readSeries(db)) readDistribution(db, series, {});
  const gaps = events.filter((event) => event.kind === 'gap');
  const contents: Contents = {
    facts: session.facts,
    ...readTickCounts(db),
    processCount: readProcessRecords(db).length,
    eventCount: events.length,
    gaps,
  };
  const missing = readHoles(db).filter((hole) => !gaps.some((gap) => isCovered(hole, gap)));
  return { session, contents, missing };
}

/** The holes in the numbers of the samples; where they were thinned out on purpose there is none. */
export function readHoles(db: Database): Hole[] {
  return db
    .prepare<[], Hole>(
      `SELECT before + 1 AS firstSequence, sequence - 1 AS lastSequence,
         from_ms AS fromUnixMs, time_unix_ms AS toUnixMs,
         from_monotonic_ms AS fromMonotonicMs, monotonic_ms AS toMonotonicMs
       FROM (
         SELECT sequence, time_unix_ms, monotonic_ms,
           lag(sequence) OVER earlier AS before,
           lag(time_unix_ms) OVER earlier AS from_ms,
           lag(monotonic_ms) OVER earlier AS from_monotonic_ms
         FROM tick WINDOW earlier AS (ORDER BY sequence)
       )
       WHERE sequence > before + 1 AND before >= (SELECT full_from_sequence FROM session)
       ORDER BY sequence`,
    )
    .all();
}

/** Whether a gap says that nothing is known of the time of these samples. */
export function isCovered(hole: Hole, gap: Gap): boolean {
  return gap.fromUnixMs <= hole.fromUnixMs && gap.toUnixMs >= hole.toUnixMs;
}

type TickCounts = Pick<Contents, 'sampleCount' | 'firstUnixMs' | 'lastUnixMs'>;

function readTickCounts(db: Database): TickCounts {
  const counts = db
    .prepare<[], TickCounts>(
      `SELECT count(*) AS sampleCount,
         (SELECT time_unix_ms FROM tick ORDER BY sequence LIMIT 1) AS firstUnixMs,
         (SELECT time_unix_ms FROM tick ORDER BY sequence DESC LIMIT 1) AS lastUnixMs
       FROM tick`,
    )
    .get();
  return counts ?? { sampleCount: 0, firstUnixMs: null, lastUnixMs: null };
}
