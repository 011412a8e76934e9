import { metricCatalog } from '../src/exporter/metric-catalog.ts';
import { identityAttributes, roleAttribute } from '../src/exporter/metric-definition.ts';
import { prometheusLabel, prometheusName } from '../src/exporter/prometheus/prometheus-name.ts';

/** `headroom.memory.limit` → `headroom_memory_limit_bytes`. RangeError when the catalogue has no such metric. */
export function nameOf(metric: string): string {
  const entry = metricCatalog.find(({ name }) => name === metric);
  if (entry === undefined) throw new RangeError(`no metric ${metric} in the catalogue`);
  return prometheusName(entry).name;
}

/** `headroom.process.role` → `headroom_process_role`. RangeError when no metric has such an attribute. */
export function labelOf(attribute: string): string {
  const known =
    identity.includes(attribute) ||
    metricCatalog.some(({ attributes }) => attributes.includes(attribute));
  if (!known) throw new RangeError(`no attribute ${attribute} in the catalogue`);
  return prometheusLabel(attribute);
}

/** The series of a metric that match: `headroom_memory_limit_bytes{session_id="$session"}`. */
export function select(metric: string, ...matchers: string[]): string {
  return `${nameOf(metric)}{${matchers.join(', ')}}`;
}

/** The buckets of a histogram, cumulative, with the label `le`. */
export function selectBuckets(metric: string, ...matchers: string[]): string {
  return `${nameOf(metric)}_bucket{${matchers.join(', ')}}`;
}

/** Matcher: the attribute has this value. */
export function is(attribute: string, value: string): string {
  return `${labelOf(attribute)}="${value}"`;
}

/** Matcher: the attribute matches this regular expression, or any value of this variable. */
export function matches(attribute: string, pattern: string): string {
  return `${labelOf(attribute)}=~"${pattern}"`;
}

const identity: readonly string[] = identityAttributes;

/** Labels of the identity and of roles, to group by. */
export const session = labelOf('session.id');
export const tier = labelOf('headroom.tier');
export const provider = labelOf('headroom.provider');
export const role = labelOf(roleAttribute);
