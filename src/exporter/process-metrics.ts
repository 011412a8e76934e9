import {
  bytesMetric,
  type MetricDefinition,
  type ProcessMetric,
  processesMetric,
  timeMetric,
} from './metric-definition.ts';

/** On request, for every tick and each of the largest processes of the browser. */
export const processMetrics: readonly ProcessMetric[] = [
  {
    name: 'process.memory.usage',
    ...bytesMetric,
    stability: 'release_candidate',
    help: 'With --per-process: RSS of one process of the browser. Never add it up: shared pages count once per process.',
    field: 'rssBytes',
  },
  {
    name: 'headroom.process.memory.pss',
    ...bytesMetric,
    stability: 'own',
    help: 'With --per-process: PSS of one process, the last reading and what its anonymous memory changed since.',
    field: 'pssBytes',
  },
  {
    name: 'headroom.process.memory.anonymous',
    ...bytesMetric,
    stability: 'own',
    help: 'With --per-process: resident anonymous memory of one process: what a leak makes grow.',
    field: 'anonBytes',
  },
  {
    // The conventions allow points without cpu.mode, if none of the process has it.
    name: 'process.cpu.time',
    ...timeMetric,
    stability: 'release_candidate',
    help: 'With --per-process: CPU time of one process, user and system together, since it was first seen.',
    field: 'cpuMs',
  },
];

/** For every tick: how many processes have no series of their own, by reason, also when it is none. */
export const leftOutMetric: MetricDefinition = {
  name: 'headroom.export.processes.left_out',
  ...processesMetric,
  stability: 'own',
  help: 'With --per-process: living processes without series of their own: smaller than those that have, or above the session_limit.',
};
