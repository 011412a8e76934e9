import type { SeriesMetric } from '../model/series.ts';
import type { LivingProcess, RoleTotals } from './role-totals.ts';
import type { TickField } from './tick-view.ts';

/**
 * gauge: a value that cannot be added up over sessions. updowncounter: one that can. counter, and
 * the two histograms: cumulative, from 0 at the start of the recording.
 */
export type Instrument =
  | 'gauge'
  | 'updowncounter'
  | 'counter'
  | 'histogram'
  | 'exponential_histogram';

/**
 * Of the name: `development` and `release_candidate` are names of semantic conventions 1.45 in that
 * state, `own` is ours because no convention exists.
 */
export type Stability = 'development' | 'release_candidate' | 'own';

export interface MetricKind {
  instrument: Instrument;
  /** UCUM: By, s, 1 (a ratio, 0 to 1), or `{things}`. */
  unit: string;
  valueType: 'int' | 'double';
}

export interface MetricDefinition extends MetricKind {
  /** OpenTelemetry name. */
  name: string;
  /** What it means, one sentence. */
  help: string;
  stability: Stability;
}

/** A metric of every tick; a series for each field. */
export interface TickMetric extends MetricDefinition {
  series: readonly { field: TickField; attributes: Readonly<Record<string, string>> }[];
}

/** A metric of every tick and role, with the attribute {@link roleAttribute}. */
export interface RoleMetric extends MetricDefinition {
  field: keyof RoleTotals;
}

/** A metric of single processes, on request, with {@link pidAttribute} and {@link roleAttribute}. */
export interface ProcessMetric extends MetricDefinition {
  field: Exclude<keyof LivingProcess, 'record'>;
}

/** Of the distribution of a figure: percentiles of every closed minute and of the session, or itself. */
export interface RollupMetric extends MetricDefinition {
  metric: SeriesMetric;
  /** A series for each role, or one for the session. */
  perRole: boolean;
}

/** Identity, on every point: not every backend keeps resource attributes with the series. */
export const identityAttributes = ['session.id', 'headroom.tier', 'headroom.provider'] as const;
export const roleAttribute = 'headroom.process.role';
export const pidAttribute = 'process.pid';
export const leftOutAttribute = 'headroom.left_out.reason';
export const statAttribute = 'headroom.rollup.stat';
export const windowAttribute = 'headroom.rollup.window';

export const bytesMetric: MetricKind = {
  instrument: 'updowncounter',
  unit: 'By',
  valueType: 'int',
};
export const processesMetric: MetricKind = {
  instrument: 'updowncounter',
  unit: '{process}',
  valueType: 'int',
};
export const ratioMetric: MetricKind = { instrument: 'gauge', unit: '1', valueType: 'double' };
export const durationMetric: MetricKind = { instrument: 'gauge', unit: 's', valueType: 'double' };
export const timeMetric: MetricKind = { instrument: 'counter', unit: 's', valueType: 'double' };

export function counterOf(unit: string): MetricKind {
  return { instrument: 'counter', unit, valueType: 'int' };
}

/** A value of the file as it is sent: what is in seconds on the wire is in milliseconds in the file. */
export function valueInUnit(metric: MetricKind, value: number): number {
  if (metric.unit === 's') return value / 1000;
  return metric.valueType === 'int' ? Math.round(value) : value;
}
