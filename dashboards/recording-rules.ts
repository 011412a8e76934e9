import { is, nameOf, role, select, session, tier } from './promql.ts';
import type { RecordingRule, RuleGroup } from './rule.ts';

const utilization = 'headroom.memory.utilization';
const workingSet = 'headroom.memory.working_set';
const victims = 'headroom.oom.victims';
const stall = 'headroom.pressure.stall.time';
const ofEach = `max by (${session}, ${tier})`;

/** Of a tier, from its running sessions: figures that stay when the sessions are forgotten. */
export const recordingGroups: readonly RuleGroup<RecordingRule>[] = [
  {
    name: 'headroom-tiers',
    interval: '1m',
    rules: [
      {
        record: `${tier}:headroom_sessions:count`,
        expr: `count by (${tier}) (${ofEach} (${select('headroom.memory.limit')}))`,
      },
      {
        record: `${tier}:${nameOf(utilization)}:p95`,
        expr: `quantile by (${tier}) (0.95, ${ofEach} (max_over_time(${select(utilization)}[1m])))`,
      },
      {
        record: `${tier}:${nameOf(utilization)}:max`,
        expr: `max by (${tier}) (max_over_time(${select(utilization)}[1m]))`,
      },
      {
        record: `${tier}:${nameOf(workingSet)}:p95`,
        expr: `quantile by (${tier}) (0.95, ${ofEach} (max_over_time(${select(workingSet)}[1m])))`,
      },
      {
        record: `${tier}:${nameOf(victims)}:rate5m`,
        expr: `sum by (${tier}) (max by (${session}, ${tier}, ${role}) (rate(${select(victims)}[5m])))`,
      },
      {
        record: `${tier}:${nameOf(stall)}:memory_full_rate1m`,
        expr: `avg by (${tier}) (${ofEach} (rate(${select(stall, is('headroom.pressure.resource', 'memory'), is('headroom.pressure.type', 'full'))}[1m])))`,
      },
    ],
  },
];
