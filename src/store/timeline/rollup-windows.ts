import type { Series } from '../../model/series.ts';
import type { TimeRange } from '../../model/time-range.ts';
import type { Database } from '../driver.ts';
import { hourMs, hourOf, minuteMs, rollupKeyRange, windowOf } from '../rollup-key.ts';
import { RollupRows } from '../rollup-rows.ts';
import { fromOf, toOf } from '../time-stretches.ts';

/** One closed window of the clock, with what it says of each series that was asked for. */
export interface RollupWindow {
  startUnixMs: number;
  spanMs: number;
  /** In the order of the series; null: nothing of it in this window. */
  values: (WindowValue | null)[];
}

export interface WindowValue {
  min: number;
  max: number;
  mean: number;
}

/**
 * The closed windows that touch a range, in one pass over the table: hours where their minutes are
 * gone, or where an hour is fine enough; minutes elsewhere. By time.
 */
export function rollupWindows(
  db: Database,
  wanted: readonly Series[],
  { range, columnMs }: { range: TimeRange; columnMs: number },
): RollupWindow[] {
  const rows = new RollupRows(db);
  const numbers = wanted.map((series) => rows.numberOf(series));
  const places = new Map(
    numbers.flatMap((number, place) => (number === null ? [] : [[number, place] as const])),
  );
  const read = (spanMs: typeof minuteMs | typeof hourMs) =>
    readWindows(db, spanMs, { range, places, width: wanted.length });
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

interface Row {
  key: number;
  series: number;
  min: number;
  max: number;
  mean: number;
}

function readWindows(
  db: Database,
  spanMs: typeof minuteMs | typeof hourMs,
  wanted: { range: TimeRange; places: ReadonlyMap<number, number>; width: number },
): RollupWindow[] {
  const { range, places, width } = wanted;
  const first = spanMs * Math.floor(Math.max(0, fromOf(range)) / spanMs);
  const [firstKey, endKey] = rollupKeyRange(spanMs, first, toOf(range) + 1);
  const select = db.prepare<[number, number], Row>(
    `SELECT key, series, min, max, sum / weight_ms AS mean FROM rollup
     WHERE key >= ? AND key < ? AND series IN (${[...places.keys()].join(', ')}) ORDER BY key`,
  );
  const windows: RollupWindow[] = [];
  for (const { key, series, min, max, mean } of select.iterate(firstKey, endKey)) {
    const { startUnixMs } = windowOf(key);
    let window = windows.at(-1);
    if (window?.startUnixMs !== startUnixMs) {
      window = { startUnixMs, spanMs, values: new Array(width).fill(null) };
      windows.push(window);
    }
    const place = places.get(series);
    if (place !== undefined) window.values[place] = { min, max, mean };
  }
  return windows;
}
