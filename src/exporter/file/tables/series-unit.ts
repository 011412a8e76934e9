import type { SeriesMetric } from '../../../model/series.ts';

/** UCUM, as on the wire (docs/metrics.md). */
export function seriesUnit(metric: SeriesMetric): string {
  if (metric === 'utilization') return '1';
  return metric === 'processes' ? '{process}' : 'By';
}
