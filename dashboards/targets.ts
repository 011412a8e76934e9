import type { Builder, Dataquery } from '@grafana/grafana-foundation-sdk/cog';
import { DataqueryBuilder, PromQueryFormat } from '@grafana/grafana-foundation-sdk/prometheus';

/** A query of a panel; its letter (refId) is given by the panel. */
export type Target = (refId: string) => Builder<Dataquery>;

/** The variable with the data source of Prometheus or VictoriaMetrics. */
export const prometheus = { type: 'prometheus', uid: '${datasource}' };

/** How often samples arrive, by the user: what a rate is made over depends on it. */
export const everyVariable = 'every';

/**
 * Gauges over time. One second is the finest step: with `max_over_time(…[$__interval])` nothing is
 * lost at a coarser one, and samples that are further apart are connected by the panel.
 */
export function lines(expr: string, legend: string): Target {
  return (refId) => rangeQuery(refId, expr, legend).interval('1s');
}

/** Rates over time, with `[$__rate_interval]`. */
export function rates(expr: string, legend: string): Target {
  return (refId) => rangeQuery(refId, expr, legend).interval(`$${everyVariable}`);
}

/** What comes once a minute, over time. */
export function minutes(expr: string, legend: string): Target {
  return (refId) => rangeQuery(refId, expr, legend).interval('1m');
}

/** Buckets of a histogram over time. They come once a minute. */
export function buckets(expr: string): Target {
  return (refId) =>
    rangeQuery(refId, expr, '{{le}}').format(PromQueryFormat.Heatmap).interval('1m');
}

/** One value at the end of the time range. */
export function value(expr: string, legend = ''): Target {
  return (refId) => instantQuery(refId, expr).legendFormat(legend);
}

/** One row for each series at the end of the time range. */
export function rows(expr: string): Target {
  return (refId) => instantQuery(refId, expr).format(PromQueryFormat.Table);
}

function rangeQuery(refId: string, expr: string, legend: string): DataqueryBuilder {
  return query(refId, expr).range().legendFormat(legend);
}

function instantQuery(refId: string, expr: string): DataqueryBuilder {
  return query(refId, expr).instant();
}

function query(refId: string, expr: string): DataqueryBuilder {
  return new DataqueryBuilder().refId(refId).expr(expr).datasource(prometheus);
}
