import { processRoles } from '../model/process-role.ts';
import { roleMetrics, type Series, sessionMetrics } from '../model/series.ts';
import type { Tick } from '../model/session-memory.ts';
import { Sketch } from '../model/sketch.ts';
import type { TimeRange } from '../model/time-range.ts';
import { CarriedRoles } from './carried-roles.ts';
import type { Database } from './driver.ts';
import { minuteOf, roleFigure, rollupSpanMs, sessionFigure } from './minute-rollup.ts';
import { readOpenMinute } from './open-minute.ts';
import { readRolledUpSequence } from './session-row.ts';
import { readWeightedTicks, type SequenceRange } from './tick-rows.ts';
import {
  fromOf,
  isInRange,
  isMinuteInRange,
  joinStretches,
  minuteStretches,
  toOf,
} from './time-stretches.ts';

/**
 * The distribution of a series by time, weighted in ms: minutes that are closed and lie wholly in
 * the range from their rollups, all other ticks of the range one by one. Null when there is none.
 */
export function readDistribution(db: Database, series: Series, range: TimeRange): Sketch | null {
  const whole = new Sketch();
  const rolledUp = readRolledUpSequence(db);
  mergeRollups(db, whole, { series, range });
  for (const stretch of looseStretches(db, range, rolledUp)) {
    const figureAt = figureReader(db, series, stretch);
    for (const { tick, weightMs } of readWeightedTicks(db, stretch)) {
      const figure = figureAt(tick);
      if (figure === null || !isInRange(tick.timeUnixMs, range)) continue;
      const isRolledUp = tick.sequence <= rolledUp;
      if (isRolledUp && isMinuteInRange(minuteOf(tick.timeUnixMs), range)) continue;
      whole.add(Math.max(0, figure), weightMs);
    }
  }
  return whole.count === 0 ? null : whole;
}

/** Every series of the recording: the session's first, then role by role. */
export function readSeries(db: Database): Series[] {
  const closed = db.prepare<[], Series>('SELECT DISTINCT scope, metric FROM rollup').all();
  const open = [...readOpenMinute(db).series()].map(({ series }) => series);
  const found = new Set([...closed, ...open].map(({ scope, metric }) => `${scope} ${metric}`));
  const session = sessionMetrics.map((metric): Series => ({ scope: 'session', metric }));
  const roles = processRoles.flatMap((scope) =>
    roleMetrics.map((metric): Series => ({ scope, metric })),
  );
  return [...session, ...roles].filter(({ scope, metric }) => found.has(`${scope} ${metric}`));
}

function mergeRollups(
  db: Database,
  whole: Sketch,
  { series, range }: { series: Series; range: TimeRange },
): void {
  const rollups = db
    .prepare<[number, number, string, string], { sketch: Uint8Array }>(
      `SELECT sketch FROM rollup
       WHERE span_ms = ${rollupSpanMs} AND start_unix_ms BETWEEN ? AND ?
         AND scope = ? AND metric = ?`,
    )
    .all(fromOf(range), toOf(range) - rollupSpanMs + 1, series.scope, series.metric);
  for (const { sketch } of rollups) {
    // Of the wrong type it is no bytes at all, and bytes of none are no sketch either.
    whole.merge(Sketch.decode(sketch instanceof Uint8Array ? sketch : new Uint8Array()));
  }
}

/** Ticks that no rollup of the range stands for, and what lies between them. */
function looseStretches(db: Database, range: TimeRange, rolledUp: number): SequenceRange[] {
  const loose = minuteStretches(db, range).flatMap((stretch) => {
    if (!isMinuteInRange(stretch.startUnixMs, range)) return [stretch];
    if (stretch.last <= rolledUp) return [];
    return [{ first: Math.max(stretch.first, rolledUp + 1), last: stretch.last }];
  });
  return joinStretches(loose);
}

function figureReader(
  db: Database,
  { scope, metric }: Series,
  stretch: SequenceRange,
): (tick: Tick) => number | null {
  if (scope === 'session') return (tick) => sessionFigure(tick, metric);
  const place = processRoles.indexOf(scope);
  const roles = new CarriedRoles(db, stretch);
  return (tick) => {
    const total = roles.at(tick.sequence)[place];
    return total === undefined ? null : roleFigure(total, metric);
  };
}
