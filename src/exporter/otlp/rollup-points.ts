import type { Recording } from '../../model/recording.ts';
import type { Series } from '../../model/series.ts';
import type { Sketch } from '../../model/sketch.ts';
import { rollupMetrics } from '../metric-catalog.ts';
import {
  type RollupMetric,
  roleAttribute,
  statAttribute,
  windowAttribute,
} from '../metric-definition.ts';
import type { Point } from './session-points.ts';

export const minuteMs = 60_000;

/** `end` is not part of the window; it is the time of its points. */
export interface RollupWindow {
  name: '1m' | 'session';
  fromUnixMs: number;
  endUnixMs: number;
}

/** The distribution of one series in a window. */
export interface WindowSketch {
  series: Series;
  sketch: Sketch;
}

/** Of every series that has something in the window. */
export function windowSketches(recording: Recording, window: RollupWindow): WindowSketch[] {
  const { fromUnixMs } = window;
  const range =
    window.name === 'session' ? {} : { fromUnixMs, toUnixMs: fromUnixMs + minuteMs - 1 };
  return recording
    .series()
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
