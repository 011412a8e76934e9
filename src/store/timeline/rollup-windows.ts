import type { Series } from '../../model/series.ts';
import type { TimeRange } from '../../model/time-range.ts';
import type { Database } from '../driver.ts';
import {
  hourMs,
  hourOf,
  minuteMs,
  rollupKeyRange,
  type SpanMs,
  seriesPerWindow,
  windowOf,
} from '../rollup-key.ts';
import { RollupRows } from '../rollup-rows.ts';
import { fromOf, toOf } from '../time-stretches.ts';

/** What is wanted of each window. */
export interface WindowFigure {
  series: Series;
  of: 'min' | 'max' | 'mean';
}

/** One closed window of the clock, with what it says of each figure that was asked for. */
export interface RollupWindow {
  startUnixMs: number;
  spanMs: number;
  /** In the order of the figures; null: nothing of it in this window. */
  values: (number | null)[];
}

/** Reads windows: see {@link rollupWindows}. */
export type ReadWindows = (
  wanted: readonly WindowFigure[],
  stretch: { range: TimeRange; columnMs: number },
) => RollupWindow[];

/**
 * Reads them once for several who want different figures of the same windows; `all` are the figures
 * that somebody wants.
 */
export function sharedWindows(db: Database, all: readonly WindowFigure[]): ReadWindows {
  const read = new Map<string, RollupWindow[]>();
  return (wanted, stretch) => {
    const key = JSON.stringify(stretch);
    const windows = read.get(key) ?? rollupWindows(db, all, stretch);
    read.set(key, windows);
    const places = wanted.map((figure) => all.indexOf(figure));
    return windows.flatMap((window) => {
      const values = places.map((place) => window.values[place] ?? null);
      return values.every((value) => value === null) ? [] : [{ ...window, values }];
    });
  };
}

/**
 * The closed windows that touch a range and know one of the figures: hours where their minutes are
 * gone, or where an hour is fine enough; minutes elsewhere. By time.
 */
export function rollupWindows(
  db: Database,
  wanted: readonly WindowFigure[],
  { range, columnMs }: { range: TimeRange; columnMs: number },
): RollupWindow[] {
  const rows = new RollupRows(db);
  const values = wanted.map(({ series, of }) => valueSql(rows.numberOf(series), of));
  const read = (spanMs: SpanMs) => readWindows(db, spanMs, { range, values });
  const hours = read(hourMs);
  if (columnMs >= hourMs) return withTail(hours, read(minuteMs));
  const minutes = read(minuteMs);
  const known = new Set(minutes.map(({ startUnixMs }) => hourOf(startUnixMs)));
  const alone = hours.filter(({ startUnixMs }) => !known.has(startUnixMs));
  return [...alone, ...minutes].sort((a, b) => a.startUnixMs - b.startUnixMs);
}

/** The minutes of hours that are not closed yet. */
function withTail(hours: RollupWindow[], minutes: RollupWindow[]): RollupWindow[] {
  const closed = new Set(hours.map(({ startUnixMs }) => startUnixMs));
  return [...hours, ...minutes.filter(({ startUnixMs }) => !closed.has(hourOf(startUnixMs)))].sort(
    (a, b) => a.startUnixMs - b.startUnixMs,
  );
}

function valueSql(series: number | null, of: WindowFigure['of']): string {
  if (series === null) return 'NULL';
  const value = of === 'mean' ? 'sum / weight_ms' : of;
  return `(SELECT ${value} FROM rollup WHERE key = number * ${seriesPerWindow} + ${series})`;
}

/** A row for each window, which is found by its first key: most series of it nobody asked for. */
function readWindows(
  db: Database,
  spanMs: SpanMs,
  { range, values }: { range: TimeRange; values: readonly string[] },
): RollupWindow[] {
  const first = spanMs * Math.floor(Math.max(0, fromOf(range)) / spanMs);
  const [firstKey, endKey] = rollupKeyRange(spanMs, first, toOf(range) + 1);
  const nextSql = (from: string) =>
    `(SELECT key FROM rollup WHERE key >= ${from} AND key < ? ORDER BY key LIMIT 1)`;
  const select = db.prepare<number[], Record<string, number | null>>(
    `WITH RECURSIVE window (number) AS (
       SELECT ${nextSql('?')} / ${seriesPerWindow}
       UNION ALL
       SELECT ${nextSql(`(number + 1) * ${seriesPerWindow}`)} / ${seriesPerWindow}
       FROM window WHERE number IS NOT NULL
     )
     SELECT number * ${seriesPerWindow} AS key, ${values.map((sql, at) => `${sql} AS value${at}`).join(', ')}
     FROM window WHERE number IS NOT NULL`,
  );
  const names = values.map((_, at) => `value${at}`);
  const windows: RollupWindow[] = [];
  // One by one: a row of two dozen columns is large, and there may be thousands.
  for (const row of select.iterate(firstKey, endKey, endKey)) {
    const found = names.map((name) => row[name] ?? null);
    if (found.every((value) => value === null)) continue;
    windows.push({ startUnixMs: windowOf(row['key'] ?? 0).startUnixMs, spanMs, values: found });
  }
  return windows;
}
