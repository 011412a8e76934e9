import type { Gap } from '../../model/event.ts';
import { gapThresholdMs } from '../../model/gap.ts';
import type { Database } from '../driver.ts';
import { EventWriter, readEvents } from '../event-rows.ts';
import type { LostPart } from '../sqlite-file/table-rows.ts';
import { type Hole, isCovered, readHoles } from '../verify/check-contents.ts';

/** Samples that were lost, or the end of them. */
export interface LostSamples {
  fromUnixMs: number;
  toUnixMs: number;
  /** Null: how many is not known. */
  count: number | null;
}

/**
 * Notes as gaps of kind `lost` where samples were lost. `lost`: the parts of the samples that are
 * known to be.
 */
export function noteLostSamples(db: Database, lost: readonly LostPart[]): LostSamples[] {
  const gaps = readEvents(db, {}).filter((event) => event.kind === 'gap');
  const inside = readHoles(db).filter((hole) => !gaps.some((gap) => isCovered(hole, gap)));
  const holes = [firstHole(db, lost), ...inside, lastHole(db)].filter((hole) => hole !== null);
  const writer = new EventWriter(db);
  for (const hole of holes) writer.write(gapOf(hole), neighbourOf(hole));
  return holes.map(({ fromUnixMs, toUnixMs, firstSequence, lastSequence }) => ({
    fromUnixMs,
    toUnixMs,
    count: Number.isFinite(lastSequence) ? lastSequence - firstSequence + 1 : null,
  }));
}

function meets({ afterKey, throughKey }: LostPart, hole: Hole): boolean {
  const first = afterKey === null ? 1 : afterKey + 1;
  return first <= hole.lastSequence && hole.firstSequence <= (throughKey ?? hole.lastSequence);
}

interface Edge {
  sequence: number;
  unixMs: number;
  monotonicMs: number;
  /** The earliest or latest time that anything else tells of. */
  otherUnixMs: number | null;
  intervalMs: number;
}

/** From the start of the session to the first tick that is left. */
function firstHole(db: Database, lost: readonly LostPart[]): Hole | null {
  const edge = db.prepare<[], Edge>(firstEdgeSql).get();
  if (edge === undefined || edge.sequence === 1) return null;
  const { sequence, unixMs, monotonicMs, otherUnixMs } = edge;
  const hole = {
    firstSequence: 1,
    lastSequence: sequence - 1,
    fromUnixMs: otherUnixMs ?? unixMs,
    toUnixMs: unixMs,
    fromMonotonicMs: monotonicMs - (unixMs - (otherUnixMs ?? unixMs)),
    toMonotonicMs: monotonicMs,
  };
  // The oldest samples may have been dropped on purpose.
  return lost.some((part) => meets(part, hole)) ? hole : null;
}

/** From the last tick that is left to the latest time that anything tells of. */
function lastHole(db: Database): Hole | null {
  const edge = db.prepare<[], Edge>(lastEdgeSql).get();
  if (edge?.otherUnixMs == null) return null;
  const { sequence, unixMs, monotonicMs, otherUnixMs } = edge;
  if (otherUnixMs - unixMs <= gapThresholdMs(edge.intervalMs)) return null;
  return {
    firstSequence: sequence + 1,
    lastSequence: Number.POSITIVE_INFINITY,
    fromUnixMs: unixMs,
    toUnixMs: otherUnixMs,
    fromMonotonicMs: monotonicMs,
    toMonotonicMs: monotonicMs + (otherUnixMs - unixMs),
  };
}

const edgeSql = `
  SELECT sequence, time_unix_ms AS unixMs, monotonic_ms AS monotonicMs,
    (SELECT interval_ms FROM session) AS intervalMs`;
const firstEdgeSql = `
  ${edgeSql}, (SELECT started_unix_ms FROM session) AS otherUnixMs
  FROM tick ORDER BY sequence LIMIT 1`;
const lastEdgeSql = `
  ${edgeSql}, (
    SELECT max(t) FROM (
      SELECT ended_unix_ms AS t FROM session
      UNION ALL SELECT time_unix_ms FROM event
      UNION ALL SELECT start_unix_ms FROM rollup
    )) AS otherUnixMs
  FROM tick ORDER BY sequence DESC LIMIT 1`;

/** A sample beside it that is there. */
function neighbourOf(hole: Hole): { sequence: number; timeUnixMs: number } {
  return Number.isFinite(hole.lastSequence)
    ? { sequence: hole.lastSequence + 1, timeUnixMs: hole.toUnixMs }
    : { sequence: hole.firstSequence - 1, timeUnixMs: hole.fromUnixMs };
}

function gapOf(hole: Hole): Gap {
  const { fromUnixMs, toUnixMs } = hole;
  return {
    kind: 'gap',
    gap: 'lost',
    fromUnixMs,
    toUnixMs,
    timeUnixMs: toUnixMs,
    wallMs: toUnixMs - fromUnixMs,
    monotonicMs: hole.toMonotonicMs - hole.fromMonotonicMs,
  };
}
