import type { Instrument, MetricDefinition } from '../metric-definition.ts';

/** What a metric is called in Prometheus. */
export interface PrometheusName {
  /** Of its samples, `system_cpu_time_seconds_total`. */
  name: string;
  type: 'gauge' | 'counter' | 'histogram';
  /** As OpenMetrics has it, the last word of the name without `_total`; null: it has none. */
  unit: string | null;
}

/**
 * The name that Prometheus' OTLP receiver makes of ours: dots become underscores, the unit is added,
 * `_ratio` to a gauge of unit 1, `_total` to a counter (OpenTelemetry specification, "OTLP Metric
 * points to Prometheus"). No name in the catalogue has any of these words in it already.
 */
export function prometheusName(metric: MetricDefinition): PrometheusName {
  const type = types[metric.instrument];
  const unit = unitWord(metric);
  const words = [underscored(metric.name), unit, type === 'counter' ? 'total' : null];
  return { name: words.filter((word) => word !== null).join('_'), type, unit };
}

/** `headroom.process.role` as the label `headroom_process_role`. */
export function prometheusLabel(attribute: string): string {
  return underscored(attribute);
}

/**
 * Attributes as labels. Of two that become the same label, `a.b` and `a_b`, both values are kept, as
 * Prometheus does it.
 */
export function prometheusLabels(
  attributes: Readonly<Record<string, string>>,
): Map<string, string> {
  const labels = new Map<string, string>();
  for (const key of Object.keys(attributes).sort()) {
    const label = prometheusLabel(key);
    const value = attributes[key] ?? '';
    const other = labels.get(label);
    labels.set(label, other === undefined ? value : `${other};${value}`);
  }
  return labels;
}

const types: Readonly<Record<Instrument, PrometheusName['type']>> = {
  gauge: 'gauge',
  updowncounter: 'gauge',
  counter: 'counter',
  histogram: 'histogram',
  // A native one: no text format can have it.
  exponential_histogram: 'histogram',
};

function underscored(name: string): string {
  return name.replace(/[^A-Za-z0-9_]/g, '_');
}

function unitWord({ name, unit, instrument }: MetricDefinition): string | null {
  if (unit === 'By') return 'bytes';
  if (unit === 's') return 'seconds';
  if (unit === '1') return instrument === 'gauge' ? 'ratio' : null;
  if (/^\{\w+\}$/.test(unit)) return null;
  throw new RangeError(`${name}: nobody said what unit ${unit} is called in Prometheus`);
}
