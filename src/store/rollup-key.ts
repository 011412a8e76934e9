export const minuteMs = 60_000;
export const hourMs = 3_600_000;

/** How long the window of a rollup is. */
export type SpanMs = typeof minuteMs | typeof hourMs;

// The table grows by minutes, so that they have the highest keys: it fills its pages at its end.
export const seriesPerWindow = 2 ** 9;
const firstMinute = 2 ** 27;
const lowestMinuteKey = firstMinute * seriesPerWindow;

/**
 * Key of a row of `rollup`: window × 512 + series; the window is the number of its first minute since
 * 1970, for a window of one minute + 2^27. So all series of a window are neighbours.
 */
export function rollupKey(spanMs: SpanMs, startUnixMs: number, series: number): number {
  const minute = startUnixMs / minuteMs + (spanMs === minuteMs ? firstMinute : 0);
  return minute * seriesPerWindow + series;
}

/** The keys of the windows that begin in a stretch of time of any length; neither end may be NaN. */
export function rollupKeyRange(
  spanMs: SpanMs,
  fromUnixMs: number,
  endUnixMs: number,
): [first: number, end: number] {
  const bounded = (unixMs: number) =>
    minuteMs * Math.ceil(Math.min(firstMinute, Math.max(0, unixMs / minuteMs)));
  return [rollupKey(spanMs, bounded(fromUnixMs), 0), rollupKey(spanMs, bounded(endUnixMs), 0)];
}

/** The window that a key belongs to. */
export function windowOf(key: number): { spanMs: SpanMs; startUnixMs: number } {
  const window = Math.floor(key / seriesPerWindow);
  return key < lowestMinuteKey
    ? { spanMs: hourMs, startUnixMs: window * minuteMs }
    : { spanMs: minuteMs, startUnixMs: (window - firstMinute) * minuteMs };
}

/** The series of a row of `rollup`, in SQL. */
export const seriesOfKeySql = `key % ${seriesPerWindow}`;

/** The window and the series in SQL. */
export const rollupKeyColumnsSql = `
  key INTEGER PRIMARY KEY,
  span_ms INTEGER
    AS (CASE WHEN key < ${lowestMinuteKey} THEN ${hourMs} ELSE ${minuteMs} END) VIRTUAL,
  start_unix_ms INTEGER
    AS ((key / ${seriesPerWindow} - CASE WHEN key < ${lowestMinuteKey} THEN 0 ELSE ${firstMinute} END)
      * ${minuteMs}) VIRTUAL,
  series INTEGER AS (${seriesOfKeySql}) VIRTUAL`;

/** True of a row of `rollup` that stands for an hour of which the minutes are gone. */
export const isOnlyHourSql = `key < ${lowestMinuteKey} AND NOT EXISTS (
    SELECT 1 FROM rollup AS minute
    WHERE minute.key >= rollup.key - rollup.series + ${lowestMinuteKey}
      AND minute.key < rollup.key - rollup.series + ${lowestMinuteKey + 60 * seriesPerWindow})`;

export function minuteOf(timeUnixMs: number): number {
  return minuteMs * Math.floor(Math.round(timeUnixMs) / minuteMs);
}

export function hourOf(timeUnixMs: number): number {
  return hourMs * Math.floor(timeUnixMs / hourMs);
}
