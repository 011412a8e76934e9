import type { TimeRange } from '../model/time-range.ts';
import { hourMs, hourOf, minuteMs, type SpanMs } from './rollup-key.ts';
import type { RollupRows } from './rollup-rows.ts';
import { fromOf, isInRange, isWindowInRange, toOf } from './time-stretches.ts';

export interface RollupWindow {
  spanMs: SpanMs;
  startUnixMs: number;
}

/**
 * The windows whose rollups together stand for a range, no moment twice: an hour rather than its
 * minutes. A window that is cut by an end of the range is none of them where there is something
 * finer; where there is not, it counts if it begins in the range, so that neighbouring ranges share
 * nothing and leave nothing out. `isThinned` says of a minute whether its ticks are gone.
 */
export function* windowsInRange(
  rows: RollupRows,
  range: TimeRange,
  isThinned: (minuteUnixMs: number) => boolean,
): IterableIterator<RollupWindow> {
  const hours = new Set<number>();
  for (const startUnixMs of windows(rows, hourMs, range)) {
    const isOnlyHour = () =>
      rows.firstWindow(minuteMs, startUnixMs, startUnixMs + hourMs) === null &&
      isInRange(startUnixMs, range);
    if (!isWindowInRange(startUnixMs, hourMs, range) && !isOnlyHour()) continue;
    hours.add(startUnixMs);
    yield { spanMs: hourMs, startUnixMs };
  }
  for (const startUnixMs of windows(rows, minuteMs, range, hours)) {
    const isOnlyMinute = () => isInRange(startUnixMs, range) && isThinned(startUnixMs);
    if (!isWindowInRange(startUnixMs, minuteMs, range) && !isOnlyMinute()) continue;
    yield { spanMs: minuteMs, startUnixMs };
  }
}

/** The windows that begin in a range, each moment once: an hour only where its minutes are gone. */
export function* finestWindows(rows: RollupRows, range: TimeRange): IterableIterator<RollupWindow> {
  for (const startUnixMs of windows(rows, hourMs, range)) {
    const isGone = rows.firstWindow(minuteMs, startUnixMs, startUnixMs + hourMs) === null;
    if (isGone && isInRange(startUnixMs, range)) yield { spanMs: hourMs, startUnixMs };
  }
  for (const startUnixMs of windows(rows, minuteMs, range)) {
    if (isInRange(startUnixMs, range)) yield { spanMs: minuteMs, startUnixMs };
  }
}

/** Those that the range touches, but none within one of these hours. */
function* windows(
  rows: RollupRows,
  spanMs: SpanMs,
  range: TimeRange,
  without: ReadonlySet<number> = new Set(),
): IterableIterator<number> {
  let fromUnixMs = spanMs * Math.floor(fromOf(range) / spanMs);
  for (;;) {
    const startUnixMs = rows.firstWindow(spanMs, fromUnixMs, toOf(range) + 1);
    if (startUnixMs === null) return;
    const hour = hourOf(startUnixMs);
    if (without.has(hour)) {
      fromUnixMs = hour + hourMs;
    } else {
      yield startUnixMs;
      fromUnixMs = startUnixMs + spanMs;
    }
  }
}
