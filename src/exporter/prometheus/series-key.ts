import type { Point } from '../otlp/session-points.ts';

/** Tells the series of a point from every other series. */
export function seriesKey({ series }: Point): string {
  return `${series.metric.name} ${JSON.stringify(series.attributes)}`;
}
