import type { ProcessRole } from './process-role.ts';

/** Whose figure it is: the whole session's, or the sum over one role of the browser. */
export type SeriesScope = 'session' | ProcessRole;

export const sessionMetrics = [
  'working_set',
  'available',
  'utilization',
  'browser_unreclaimable',
  'browser_pss',
  'browser_rss_sum',
] as const;

export const roleMetrics = ['pss', 'rss', 'processes'] as const;

export type SeriesMetric = (typeof sessionMetrics)[number] | (typeof roleMetrics)[number];

/**
 * A figure whose distribution is kept. Bytes for all but `utilization` (ratio, 0..1) and
 * `processes` (count). Role series are sums over the browser's processes of that role.
 */
export interface Series {
  scope: SeriesScope;
  metric: SeriesMetric;
}
