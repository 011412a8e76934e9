import type { Recording } from '../../model/recording.ts';
import type { Sketch } from '../../model/sketch.ts';
import { rollupMetrics } from '../metric-catalog.ts';
import { roleAttribute, statAttribute, windowAttribute } from '../metric-definition.ts';
import type { Point } from './session-points.ts';

export const minuteMs = 60_000;

/** `end` is not part of the window; it is the time of its points. */
export interface RollupWindow {
  name: '1m' | 'session';
  fromUnixMs: number;
  endUnixMs: number;
}

/** Percentiles, maximum and mean of every series in a window. */
export function rollupPoints(
  recording: Recording,
  window: RollupWindow,
  identity: Readonly<Record<string, string>>,
): Point[] {
  const { fromUnixMs } = window;
  const range =
    window.name === 'session' ? {} : { fromUnixMs, toUnixMs: fromUnixMs + minuteMs - 1 };
  const points: Point[] = [];
  for (const series of recording.series()) {
    const perRole = series.scope !== 'session';
    const metric = rollupMetrics.find(
      (one) => one.metric === series.metric && one.perRole === perRole,
    );
    if (metric === undefined) continue;
    const sketch = recording.distribution(series, range);
    if (sketch === null || sketch.count === 0) continue;
    for (const [stat, value] of statsOf(sketch)) {
      if (value === null) continue;
      points.push({
        series: {
          metric,
          attributes: {
            ...identity,
            ...(perRole ? { [roleAttribute]: series.scope } : {}),
            [statAttribute]: stat,
            [windowAttribute]: window.name,
          },
        },
        startUnixMs: window.fromUnixMs,
        timeUnixMs: window.endUnixMs,
        value,
      });
    }
  }
  return points;
}

function statsOf(sketch: Sketch): [string, number | null][] {
  return [
    ['p50', sketch.quantile(0.5)],
    ['p90', sketch.quantile(0.9)],
    ['p95', sketch.quantile(0.95)],
    ['p99', sketch.quantile(0.99)],
    ['max', sketch.max],
    ['mean', sketch.sum / sketch.count],
  ];
}
