import { processRoles } from '../model/process-role.ts';
import type { SeriesWindow } from '../model/recording.ts';
import { roleMetrics, type Series, sessionMetrics } from '../model/series.ts';
import type { Tick } from '../model/session-memory.ts';
import { Sketch } from '../model/sketch.ts';
import type { TimeRange } from '../model/time-range.ts';
import { CarriedRoles } from './carried-roles.ts';
import type { Database } from './driver.ts';
import { roleFigure, sessionFigure } from './minute-rollup.ts';
import { readOpenMinute } from './open-minute.ts';
import { minuteMs, rollupKey } from './rollup-key.ts';
import { mergeRow, RollupRows } from './rollup-rows.ts';
import { readWatermarks, type Watermarks } from './session-row.ts';
import { readWeightedTicks, type SequenceRange } from './tick-rows.ts';
import {
  isInRange,
  isWindowInRange,
  joinStretches,
  looseStretches,
  type MinuteStretch,
} from './time-stretches.ts';
import { finestWindows, windowsInRange } from './windows-in-range.ts';

/**
 * The distribution of a series by time, weighted in ms: closed hours and minutes that lie wholly in
 * the range from their rollups, all other ticks of the range one by one, where they are still there.
 * Null when there is none.
 */
export function readDistribution(db: Database, series: Series, range: TimeRange): Sketch | null {
  const whole = new Sketch();
  const marks = readWatermarks(db);
  const loose = looseStretches(db, range, marks.rolledUpSequence);
  const thinned = new Set(
    loose.filter(({ first }) => first < marks.fullFromSequence).map((one) => one.startUnixMs),
  );
  mergeRollups(db, whole, { series, range, isThinned: (minute) => thinned.has(minute) });
  const full = loose.filter(({ startUnixMs }) => !thinned.has(startUnixMs));
  for (const stretch of joinStretches(unmerged(full, range, marks))) {
    const figureAt = figureReader(db, series, stretch);
    for (const { tick, weightMs } of readWeightedTicks(db, stretch)) {
      const figure = figureAt(tick);
      if (figure !== null && isInRange(tick.timeUnixMs, range)) {
        whole.add(Math.max(0, figure), weightMs);
      }
    }
  }
  return whole.count === 0 ? null : whole;
}

/** The closed windows of a series that begin in the range, each moment once; by time. */
export function readWindows(db: Database, series: Series, range: TimeRange): SeriesWindow[] {
  const rows = new RollupRows(db);
  const number = rows.numberOf(series);
  if (number === null) return [];
  const windows: SeriesWindow[] = [];
  for (const { spanMs, startUnixMs } of finestWindows(rows, range)) {
    const row = rows.one(rollupKey(spanMs, startUnixMs, number));
    if (row === undefined) continue;
    const { min, max, sum, count, sampleCount } = row;
    windows.push({ startUnixMs, spanMs, min, max, mean: sum / count, sampleCount });
  }
  return windows.sort((a, b) => a.startUnixMs - b.startUnixMs);
}

/** Every series of the recording: the session's first, then role by role. */
export function readSeries(db: Database): Series[] {
  const closed = db.prepare<[], Series>('SELECT scope, metric FROM series').all();
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
  wanted: { series: Series; range: TimeRange; isThinned: (minuteUnixMs: number) => boolean },
): void {
  const rows = new RollupRows(db);
  const number = rows.numberOf(wanted.series);
  if (number === null) return;
  for (const { spanMs, startUnixMs } of windowsInRange(rows, wanted.range, wanted.isThinned)) {
    const row = rows.one(rollupKey(spanMs, startUnixMs, number));
    if (row !== undefined) mergeRow(whole, row);
  }
}

/** Ticks that no rollup of the range stands for. */
function unmerged(
  stretches: readonly MinuteStretch[],
  range: TimeRange,
  { rolledUpSequence }: Watermarks,
): SequenceRange[] {
  return stretches.flatMap((stretch) => {
    if (!isWindowInRange(stretch.startUnixMs, minuteMs, range)) return [stretch];
    if (stretch.last <= rolledUpSequence) return [];
    return [{ first: Math.max(stretch.first, rolledUpSequence + 1), last: stretch.last }];
  });
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
