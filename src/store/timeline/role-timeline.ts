import { gapBetween } from '../../model/gap.ts';
import { type ProcessRole, processRoles } from '../../model/process-role.ts';
import type { TimeRange } from '../../model/time-range.ts';
import type { RoleTimeline, TimelineRequest } from '../../model/timeline.ts';
import { CarriedRoles } from '../carried-roles.ts';
import type { Database } from '../driver.ts';
import { hourMs } from '../rollup-key.ts';
import { readWatermarks } from '../session-row.ts';
import { stretchesOf } from '../time-stretches.ts';
import { type ReadWindows, sharedWindows } from './rollup-windows.ts';
import { columnMsOf, intervalMsOf, startOfTicks } from './session-timeline.ts';

// Beyond this there are enough minutes for a picture, and rows of processes to be read for seconds.
const longestOfTicksMs = hourMs;

/** PSS of each role in a window: out of the rows of processes where it is short, else of the rollups. */
export function readRoleTimeline(
  db: Database,
  request: TimelineRequest,
  readWindows: ReadWindows = sharedWindows(db, roleFigures),
): RoleTimeline {
  const { fromUnixMs, toUnixMs } = request;
  const fromSequence = readWatermarks(db).fullFromSequence;
  const points = new RolePoints();
  const isShort = toUnixMs - fromUnixMs <= longestOfTicksMs;
  const fullFromUnixMs = isShort ? startOfTicks(db, fromSequence) : toUnixMs;
  let restFromUnixMs = fromUnixMs;
  if (fullFromUnixMs > fromUnixMs) {
    const range = { fromUnixMs, toUnixMs: Math.min(toUnixMs, fullFromUnixMs - 1) };
    restFromUnixMs = Math.max(fromUnixMs, addWindows(points, readWindows, { range, request }));
  }
  addTicks(db, points, {
    range: { fromUnixMs: restFromUnixMs, toUnixMs },
    columnMs: columnMsOf(request),
    fromSequence,
  });
  return points.result();
}

/** Adds closed windows; gives the time up to which they speak. */
function addWindows(
  points: RolePoints,
  readWindows: ReadWindows,
  { range, request }: { range: TimeRange; request: TimelineRequest },
): number {
  const columnMs = columnMsOf(request);
  let endUnixMs = Number.NEGATIVE_INFINITY;
  for (const { startUnixMs, spanMs, values } of readWindows(roleFigures, { range, columnMs })) {
    if (startUnixMs > endUnixMs && endUnixMs > 0) points.addHole(endUnixMs, startUnixMs);
    const sums = processRoles.map((_, place) => {
      if (values[2 * place + 1] === null) return 0;
      return values[2 * place] ?? null;
    });
    points.add(Math.floor(startUnixMs / columnMs), startUnixMs, sums);
    endUnixMs = startUnixMs + spanMs;
  }
  return endUnixMs;
}

// The last one is there in every window.
export const roleFigures = [
  ...processRoles.flatMap((scope) => [
    { series: { scope, metric: 'pss' }, of: 'mean' } as const,
    { series: { scope, metric: 'processes' }, of: 'max' } as const,
  ]),
  { series: { scope: 'session', metric: 'working_set' }, of: 'mean' } as const,
];

interface TickClock {
  sequence: number;
  timeUnixMs: number;
  monotonicMs: number;
}

function addTicks(
  db: Database,
  points: RolePoints,
  wanted: {
    range: { fromUnixMs: number; toUnixMs: number };
    columnMs: number;
    fromSequence: number;
  },
): void {
  const { range, columnMs, fromSequence } = wanted;
  const intervalMs = intervalMsOf(db);
  const select = db.prepare<[number, number], TickClock>(
    `SELECT sequence, time_unix_ms AS timeUnixMs, monotonic_ms AS monotonicMs FROM tick
     WHERE sequence BETWEEN ? AND ? ORDER BY sequence`,
  );
  let before: TickClock | null = null;
  for (const { first, last } of stretchesOf(db, range)) {
    const stretch = { first: Math.max(first, fromSequence), last };
    if (stretch.first > last) continue;
    const roles = new CarriedRoles(db, stretch);
    for (const tick of select.all(stretch.first, last)) {
      const { sequence, timeUnixMs } = tick;
      const totals = roles.at(sequence);
      if (timeUnixMs < range.fromUnixMs || timeUnixMs > range.toUnixMs) continue;
      if (before !== null && gapBetween(before, tick, intervalMs) !== null) {
        points.addHole(before.timeUnixMs, timeUnixMs);
      }
      const sums = totals.map(({ processCount, pssBytes }) => (processCount === 0 ? 0 : pssBytes));
      points.add(Math.floor(timeUnixMs / columnMs), timeUnixMs, sums);
      before = tick;
    }
  }
}

/** Means of columns, role by role. */
class RolePoints {
  readonly #timesUnixMs: number[] = [];
  readonly #values = processRoles.map((): (number | null)[] => []);
  #column = Number.NaN;
  #count = 0;

  add(column: number, timeUnixMs: number, sums: readonly (number | null)[]): void {
    if (column !== this.#column) {
      this.#timesUnixMs.push(timeUnixMs);
      for (const values of this.#values) values.push(0);
      this.#column = column;
      this.#count = 0;
    }
    this.#count++;
    const at = this.#timesUnixMs.length - 1;
    this.#values.forEach((values, place) => {
      const mean = values[at] ?? null;
      const sum = sums[place] ?? null;
      values[at] = mean === null || sum === null ? null : mean + (sum - mean) / this.#count;
    });
  }

  addHole(fromUnixMs: number, toUnixMs: number): void {
    this.#timesUnixMs.push((fromUnixMs + toUnixMs) / 2);
    for (const values of this.#values) values.push(null);
    this.#column = Number.NaN;
  }

  /** Only the roles that had a process. */
  result(): RoleTimeline {
    const roles: Partial<Record<ProcessRole, (number | null)[]>> = {};
    processRoles.forEach((role, place) => {
      const values = this.#values[place] ?? [];
      if (values.every((value) => value === 0 || value === null)) return;
      roles[role] = values.map((value) => (value === null ? null : Math.round(value)));
    });
    return { timesUnixMs: this.#timesUnixMs, roles };
  }
}
