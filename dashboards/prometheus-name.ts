import type { MetricKind } from '../src/exporter/metric-definition.ts';

export function prometheusName(metric: { name: string } & MetricKind): string {
  const tokens = metric.name.split(/[^a-zA-Z0-9]+/);
  const unit = { By: 'bytes', s: 'seconds' }[metric.unit];
  if (unit !== undefined && !tokens.includes(unit)) tokens.push(unit);
  if (metric.instrument === 'gauge' && metric.unit === '1') tokens.push('ratio');
  if (metric.instrument === 'counter') tokens.push('total');
  return tokens.join('_');
}
export function prometheusLabel(attribute: string): string {
  return attribute.replace(/[^a-zA-Z0-9]/g, '_');
}
