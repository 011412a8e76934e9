import type { Recording } from '../../model/recording.ts';
import type { Series } from '../../model/series.ts';
import type { Sketch } from '../../model/sketch.ts';
import type { TimeRange } from '../../model/time-range.ts';
import { rollupMetrics } from '../metric-catalog.ts';
import {
  type RollupMetric,
  roleAttribute,
  statAttribute,
  windowAttribute,
} from '../metric-definition.ts';
import type { Point } from './session-points.ts';

const minuteMs = 60_000;
const hourMs = 3_600_000;

/** Stretches of the clock that are summarised; the shorter one first. */
const clockWindows = [
  { name: '1m', spanMs: minuteMs },
  { name: '1h', spanMs: hourMs },
] as const;

/** `end` is not part of the window; it is the time of its points. */
export interface RollupWindow {
  name: (typeof clockWindows)[number]['name'] | 'session';
  /** What of the recording it is made of. */
  range: TimeRange;
  fromUnixMs: number;
  endUnixMs: number;
}

/** The minute and the hour of this moment, or only one of them. */
export function windowsAt(
  unixMs: number,
  without: RollupWindow['name'] | null = null,
): RollupWindow[] {
  const windows = clockWindows.filter(({ name }) => name !== without);
  return windows.map(({ name, spanMs }) => {
    const fromUnixMs = Math.floor(unixMs / spanMs) * spanMs;
    const endUnixMs = fromUnixMs + spanMs;
    return { name, fromUnixMs, endUnixMs, range: { fromUnixMs, toUnixMs: endUnixMs - 1 } };
  });
}

/** The distribution of one series in a window. */
export interface WindowSketch {
  series: Series;
  sketch: Sketch;
}

/** Of every series that has something in the window; `series`: those of the recording, where they were read. */
export function windowSketches(
  recording: Recording,
  { range }: RollupWindow,
  series: readonly Series[] = recording.series(),
): WindowSketch[] {
  return series
    .map((series) => ({ series, sketch: recording.distribution(series, range) }))
    .filter((one): one is WindowSketch => one.sketch !== null && one.sketch.count > 0);
}

/** Percentiles, maximum and mean of every series in a window; whole bytes, as in the report. */
export function rollupPoints(
  sketches: readonly WindowSketch[],
  window: RollupWindow,
  identity: Readonly<Record<string, string>>,
): Point[] {
  const points: Point[] = [];
  for (const { series, sketch } of sketches) {
    const metric = metricOf(series, rollupMetrics);
    if (metric === undefined) continue;
    const attributes = { ...identity, ...scopeOf(series), [windowAttribute]: window.name };
    for (const [stat, value] of statsOf(sketch)) {
      if (value === null) continue;
      points.push({
        series: { metric, attributes: { ...attributes, [statAttribute]: stat } },
        startUnixMs: window.fromUnixMs,
        timeUnixMs: window.endUnixMs,
        value: metric.unit === '1' || stat === 'mean' ? value : Math.round(value),
      });
    }
  }
  return points;
}

/** The metric of a series among metrics of distributions. */
export function metricOf(
  { scope, metric }: Series,
  metrics: readonly RollupMetric[],
): RollupMetric | undefined {
  return metrics.find((one) => one.metric === metric && one.perRole === (scope !== 'session'));
}

/** The attribute that tells a series of one role from those of the others. */
export function scopeOf({ scope }: Series): Record<string, string> {
  return scope === 'session' ? {} : { [roleAttribute]: scope };
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
