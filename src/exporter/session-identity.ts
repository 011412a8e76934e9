import type { SessionFacts } from '../model/session.ts';
import { tierOf } from '../model/tier.ts';

type StringAttributes = Readonly<Record<string, string>>;

/**
 * What says whose point it is; on every point and every event, as not every backend keeps resource
 * attributes with the series. Labels of the recording are `headroom.label.<key>`; `tier` and
 * `provider` have names of their own.
 */
export function identityOf(facts: SessionFacts): StringAttributes {
  const labels = Object.entries(facts.labels)
    .filter(([key]) => key !== 'tier' && key !== 'provider')
    .map(([key, value]) => [`headroom.label.${key}`, value]);
  return {
    'session.id': facts.id,
    'headroom.tier': facts.labels['tier'] ?? tierOf(facts),
    'headroom.provider': facts.labels['provider'] ?? facts.source,
    ...Object.fromEntries(labels),
  };
}

/**
 * The OpenTelemetry resource of a recording. Without the identity and the labels, which are on every
 * point: vmagent makes labels of both, and Prometheus refuses a series that has a label twice. `extra`
 * is what OTEL_RESOURCE_ATTRIBUTES says and wins.
 */
export function resourceOf(facts: SessionFacts, extra: StringAttributes = {}): StringAttributes {
  return {
    'service.name': 'headroom',
    'service.instance.id': facts.id,
    'service.version': facts.collectorVersion,
    'host.name': facts.machine.hostName,
    ...(facts.machine.sampleSource === 'proc' ? { 'os.type': 'linux' } : {}),
    ...extra,
  };
}
