import { larger, smaller } from '../../model/known-extremes.ts';
import type { TimeRange } from '../../model/time-range.ts';
import type { Database } from '../driver.ts';
import { fromOf, toOf } from '../time-stretches.ts';
import { tickWithLimitSql } from '../views.ts';
import type { Bucket, HoleRule } from './bucket.ts';
import type { ReadWindows, RollupWindow } from './rollup-windows.ts';

/** Columns out of rollups, and the time up to which they speak. */
export interface WindowBuckets {
  buckets: Bucket[];
  endUnixMs: number;
}

/** The closed windows of a range, a column out of as many as fit into it. */
export function windowBuckets(
  db: Database,
  readWindows: ReadWindows,
  { range, columnMs }: { range: TimeRange; columnMs: number },
): WindowBuckets {
  const windows = readWindows(sessionFigures, { range, columnMs });
  const marks = readMarks(db, range);
  const buckets: Bucket[] = [];
  let at = 0;
  let column = Number.NaN;
  for (const window of windows) {
    const end = window.startUnixMs + window.spanMs;
    while (at + 1 < marks.length && (marks[at]?.startUnixMs ?? end) < end) at++;
    const bucket = bucketOf(window, marks, at);
    const before = buckets.at(-1);
    const next = Math.floor((window.startUnixMs - (range.fromUnixMs ?? 0)) / columnMs);
    const isNear = before !== undefined && !areWindowsApart(before, bucket);
    if (before !== undefined && next === column && isNear) widen(before, bucket);
    else buckets.push(bucket);
    column = next;
  }
  const last = windows.at(-1);
  return {
    buckets,
    endUnixMs: last === undefined ? Number.NEGATIVE_INFINITY : last.startUnixMs + last.spanMs,
  };
}

const workingSet = { scope: 'session', metric: 'working_set' } as const;
const available = { scope: 'session', metric: 'available' } as const;
export const sessionFigures = [workingSet, available].flatMap((series) => [
  { series, of: 'min' } as const,
  { series, of: 'max' } as const,
]);

/** The rule of windows: one that is missing was not recorded. */
export const areWindowsApart: HoleRule = (before, after) =>
  after.firstUnixMs > before.lastUnixMs + 1;

/** What the tick at the start of a minute knows. */
interface Mark extends Omit<Bucket, 'firstUnixMs' | 'lastUnixMs'> {
  startUnixMs: number;
}

function readMarks(db: Database, range: TimeRange): Mark[] {
  return db
    .prepare<[number, number], Mark>(
      `SELECT minute.start_unix_ms AS startUnixMs, monotonic_ms AS lastMonotonicMs,
         limit_bytes AS limitBytes, pressure_memory_some_ms AS memorySomeMs,
         pressure_memory_full_ms AS memoryFullMs, pressure_cpu_some_ms AS cpuSomeMs,
         pressure_io_full_ms AS ioFullMs
       FROM tick_minute AS minute
       JOIN ${tickWithLimitSql} AS tick ON tick.sequence = (
         SELECT min(sequence) FROM tick WHERE sequence >= minute.sequence)
       WHERE minute.start_unix_ms BETWEEN ? AND ?
       ORDER BY minute.sequence`,
    )
    .all(fromOf(range), toOf(range) + 3_600_000);
}

// What has counted up to the end of a window, the first tick behind it says.
function bucketOf(window: RollupWindow, marks: readonly Mark[], at: number): Bucket {
  const { startUnixMs, spanMs, values } = window;
  const [leastUsed = null, mostUsed = null, leastAvailable = null, mostAvailable = null] = values;
  const mark = marks[at];
  return {
    firstUnixMs: startUnixMs,
    lastUnixMs: startUnixMs + spanMs - 1,
    firstMonotonicMs: null,
    lastMonotonicMs: mark?.lastMonotonicMs ?? null,
    limitBytes: mark?.limitBytes ?? null,
    workingSetMinBytes: leastUsed,
    workingSetMaxBytes: mostUsed,
    availableMinBytes: leastAvailable,
    availableMaxBytes: mostAvailable,
    memorySomeMs: mark?.memorySomeMs ?? null,
    memoryFullMs: mark?.memoryFullMs ?? null,
    cpuSomeMs: mark?.cpuSomeMs ?? null,
    ioFullMs: mark?.ioFullMs ?? null,
  };
}

function widen(wide: Bucket, { firstUnixMs: _, firstMonotonicMs: __, ...bucket }: Bucket): void {
  Object.assign(wide, bucket, {
    limitBytes: smaller(wide.limitBytes, bucket.limitBytes),
    workingSetMinBytes: smaller(wide.workingSetMinBytes, bucket.workingSetMinBytes),
    workingSetMaxBytes: larger(wide.workingSetMaxBytes, bucket.workingSetMaxBytes),
    availableMinBytes: smaller(wide.availableMinBytes, bucket.availableMinBytes),
    availableMaxBytes: larger(wide.availableMaxBytes, bucket.availableMaxBytes),
  });
}
