import type { Histogram } from '../histogram.ts';
import type { MetricDefinition } from '../metric-definition.ts';
import { prometheusLabels, prometheusName } from './prometheus-name.ts';

export type ExpositionFormat = 'text' | 'openmetrics';

export const contentTypes: Readonly<Record<ExpositionFormat, string>> = {
  text: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
};

/** A metric with all its samples; formats want them together. */
export interface MetricFamily {
  metric: MetricDefinition;
  samples: MetricSample[];
}

export interface MetricSample {
  attributes: Readonly<Record<string, string>>;
  value: number | bigint | Histogram;
}

/**
 * What a scrape gets: Prometheus' text format 0.0.4, or OpenMetrics 1.0. A metric without samples is
 * left out. No timestamps: Prometheus would then not notice that a series has ended.
 */
export function exposition(families: readonly MetricFamily[], format: ExpositionFormat): string {
  const lines: string[] = [];
  for (const family of families) {
    if (family.samples.length === 0) continue;
    const { name, type, unit } = prometheusName(family.metric);
    const help = family.metric.help;
    if (format === 'text') {
      lines.push(`# HELP ${name} ${escapedHelp(help)}`, `# TYPE ${name} ${type}`);
    } else {
      // Here a counter's family is called without what its samples end in.
      const familyName = name.replace(/_total$/, '');
      lines.push(`# TYPE ${familyName} ${type}`);
      if (unit !== null) lines.push(`# UNIT ${familyName} ${unit}`);
      lines.push(`# HELP ${familyName} ${escaped(help)}`);
    }
    for (const sample of family.samples) lines.push(...sampleLines(name, sample, format));
  }
  if (format === 'openmetrics') lines.push('# EOF');
  return lines.map((line) => `${line}\n`).join('');
}

/**
 * The format that the client likes best, by its `Accept` header; text when it does not care. The
 * quality values of RFC 9110 decide, and OpenMetrics of two that are liked the same.
 */
export function acceptedFormat(accept: string | undefined): ExpositionFormat {
  let openMetrics = 0;
  let text = 0;
  for (const part of (accept ?? '').toLowerCase().split(',')) {
    const [type = '', ...parameters] = part.split(';').map((word) => word.trim());
    const quality = Number(parameters.find((one) => /^q=[\d.]+$/.test(one))?.slice(2) ?? 1);
    const version = parameters.find((one) => one.startsWith('version='));
    if (type === 'application/openmetrics-text' && version !== 'version=0.0.1') {
      openMetrics = Math.max(openMetrics, quality);
    } else if (type === 'text/plain') {
      text = Math.max(text, quality);
    }
  }
  return openMetrics > 0 && openMetrics >= text ? 'openmetrics' : 'text';
}

function sampleLines(
  name: string,
  { attributes, value }: MetricSample,
  format: ExpositionFormat,
): string[] {
  if (typeof value !== 'object') return [`${name}${labelList(attributes)} ${value}`];
  let below = 0;
  const buckets = value.counts.map((count, index) => {
    below += count;
    const bound = value.bounds[index];
    const le = bound === undefined ? '+Inf' : boundText(bound, format);
    return `${name}_bucket${labelList({ ...attributes, le })} ${below}`;
  });
  const labels = labelList(attributes);
  return [...buckets, `${name}_sum${labels} ${value.sum}`, `${name}_count${labels} ${value.count}`];
}

// OpenMetrics, "Considerations: Canonical Numbers": a whole number has a point as well.
function boundText(bound: number, format: ExpositionFormat): string {
  return format === 'openmetrics' && Number.isInteger(bound) ? `${bound}.0` : `${bound}`;
}

function labelList(attributes: Readonly<Record<string, string>>): string {
  const labels: string[] = [];
  for (const [label, value] of prometheusLabels(attributes)) {
    // To Prometheus, an empty label is none.
    if (value !== '') labels.push(`${label}="${escaped(value)}"`);
  }
  return labels.length === 0 ? '' : `{${labels.join(',')}}`;
}

function escaped(value: string): string {
  return escapedHelp(value).replaceAll('"', '\\"');
}

function escapedHelp(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}
