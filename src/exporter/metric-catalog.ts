import { agentOsMetrics } from './agentos-metrics.ts';
import {
  bytesMetric,
  counterOf,
  durationMetric,
  leftOutAttribute,
  type MetricDefinition,
  pidAttribute,
  processesMetric,
  type RoleMetric,
  type RollupMetric,
  roleAttribute,
  statAttribute,
  timeMetric,
  windowAttribute,
} from './metric-definition.ts';
import { leftOutMetric, processMetrics } from './process-metrics.ts';
import { tickMetrics } from './tick-metrics.ts';

const exportAttributes = ['headroom.export.signal', 'server.address'] as const;

/** For every tick and every role that the browser has had so far, dead ones as 0. */
export const roleMetrics: readonly RoleMetric[] = [
  {
    name: 'headroom.browser.processes',
    ...processesMetric,
    stability: 'own',
    help: 'Living processes of the browser.',
    field: 'processCount',
  },
  {
    name: 'headroom.browser.memory.pss',
    ...bytesMetric,
    stability: 'own',
    help: 'PSS: shared pages are split between those who share them, so the roles add up.',
    field: 'pssBytes',
  },
  {
    name: 'headroom.browser.memory.rss',
    ...bytesMetric,
    stability: 'own',
    help: 'RSS added up over the processes. Counts shared pages once per process: never a footprint.',
    field: 'rssBytes',
  },
  {
    name: 'headroom.browser.memory.anonymous',
    ...bytesMetric,
    stability: 'own',
    help: 'Resident anonymous memory added up over the processes. What a child shares with its zygote counts twice.',
    field: 'anonBytes',
  },
  {
    name: 'headroom.browser.memory.swap',
    ...bytesMetric,
    stability: 'own',
    help: 'Memory of the processes that is in swap.',
    field: 'swapBytes',
  },
  {
    name: 'headroom.browser.process.memory.max',
    ...bytesMetric,
    instrument: 'gauge',
    stability: 'own',
    help: 'RSS of the largest process: shows one leaking tab without naming processes.',
    field: 'largestRssBytes',
  },
  {
    name: 'headroom.browser.cpu.time',
    ...timeMetric,
    stability: 'own',
    help: 'CPU time that the processes spent while recorded, those that ended included.',
    field: 'cpuMs',
  },
  {
    name: 'headroom.oom.victims',
    ...counterOf('{kill}'),
    stability: 'own',
    help: "Processes of the browser that the kernel's log names as killed for want of memory.",
    field: 'oomVictimCount',
  },
];

/**
 * Named after the metric of every tick that they summarise. At the end of each minute, and of the
 * session; the values are those of the report.
 */
export const rollupMetrics: readonly RollupMetric[] = [
  rollup('headroom.memory.working_set', { metric: 'working_set', perRole: false }),
  rollup('headroom.memory.available', { metric: 'available', perRole: false }),
  rollup('headroom.memory.utilization', { metric: 'utilization', perRole: false }),
  rollup('headroom.browser.memory.unreclaimable', {
    metric: 'browser_unreclaimable',
    perRole: false,
  }),
  rollup('headroom.browser.memory.pss_sum', { metric: 'browser_pss', perRole: false }),
  rollup('headroom.browser.memory.rss_sum', { metric: 'browser_rss_sum', perRole: false }),
  rollup('headroom.browser.memory.pss', { metric: 'pss', perRole: true }),
  rollup('headroom.browser.memory.rss', { metric: 'rss', perRole: true }),
  rollup('headroom.browser.processes', { metric: 'processes', perRole: true }),
];

/** At the end of each minute, and of the session. */
export const utilizationMetric: MetricDefinition = {
  name: 'headroom.distribution.memory.utilization',
  instrument: 'histogram',
  unit: '1',
  valueType: 'double',
  stability: 'own',
  help: 'For how long, in ms, headroom.memory.utilization was how high. Adds up over sessions, as percentiles do not.',
};

/** 0 when a browser is first seen, then at the end of each minute, and of the session. */
export const sessionVictimsMetric: MetricDefinition = {
  name: 'headroom.session.oom.victims',
  ...counterOf('{kill}'),
  stability: 'own',
  help: 'The headroom.oom.victims of all roles together, once a minute: one series, to be asked of thousands of sessions.',
};

/** On request only: each is up to 320 buckets. At the end of each minute, and of the session. */
export const exponentialMetrics: readonly RollupMetric[] = rollupMetrics.map((metric) => ({
  ...metric,
  name: metric.name.replace('headroom.rollup.', 'headroom.exponential.'),
  instrument: 'exponential_histogram',
  help: `With --exponential-histograms: for how long, in ms, ${liveName(metric)} was how high.`,
}));

/** Of an exporter itself, at the time when it tells; sent by `headroom export`, and not part of a recording. */
export const exportMetrics = {
  items: {
    name: 'headroom.export.items',
    ...counterOf('{item}'),
    stability: 'own',
    help: 'Points and events of this session that were sent, of those rejected by the receiver, or dropped and why; as in the file.',
    attributes: [...exportAttributes, 'headroom.export.outcome', 'error.type'],
  },
  retries: {
    name: 'headroom.export.retries',
    ...counterOf('{request}'),
    stability: 'own',
    help: 'Requests that this exporter had to make again.',
    attributes: exportAttributes,
  },
  lag: {
    name: 'headroom.export.lag',
    ...durationMetric,
    stability: 'own',
    help: 'How old the last sample is that was dealt with.',
    attributes: exportAttributes,
  },
} as const satisfies Record<string, CatalogEntry>;

export interface CatalogEntry extends MetricDefinition {
  /** Names of the attributes, besides the identity. */
  attributes: readonly string[];
}

/** Every metric that leaves this program. */
export const metricCatalog: readonly CatalogEntry[] = [
  ...[...tickMetrics, ...agentOsMetrics].map((metric) => ({
    ...metric,
    attributes: [...new Set(metric.series.flatMap((one) => Object.keys(one.attributes)))],
  })),
  ...roleMetrics.map((metric) => ({ ...metric, attributes: [roleAttribute] })),
  ...processMetrics.map((metric) => ({ ...metric, attributes: [pidAttribute, roleAttribute] })),
  { ...leftOutMetric, attributes: [leftOutAttribute] },
  ...rollupMetrics.map((metric) => ({
    ...metric,
    attributes: [...(metric.perRole ? [roleAttribute] : []), statAttribute, windowAttribute],
  })),
  { ...utilizationMetric, attributes: [] },
  { ...sessionVictimsMetric, attributes: [] },
  ...exponentialMetrics.map((metric) => ({
    ...metric,
    attributes: metric.perRole ? [roleAttribute] : [],
  })),
  ...Object.values(exportMetrics),
];

function rollup(
  live: string,
  of: { metric: RollupMetric['metric']; perRole: boolean },
): RollupMetric {
  const unit = of.metric === 'utilization' ? '1' : of.metric === 'processes' ? '{process}' : 'By';
  return {
    name: live.replace('headroom.', 'headroom.rollup.'),
    instrument: 'gauge',
    unit,
    valueType: 'double',
    help: `Percentiles, maximum and mean of ${live}.`,
    stability: 'own',
    ...of,
  };
}

function liveName({ name }: RollupMetric): string {
  return name.replace('headroom.rollup.', 'headroom.');
}
