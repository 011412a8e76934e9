import { dashboardIds } from './frame.ts';
import { is, labelOf, matches, provider, role, select, session, tier } from './promql.ts';
import type { AlertRule, RuleGroup } from './rule.ts';

const ofSession = `${session}, ${tier}, ${provider}`;
const whose = `Session {{ $labels.${session} }} ({{ $labels.${tier} }}, {{ $labels.${provider} }})`;
const available = select('headroom.memory.available');
const limit = select('headroom.memory.limit');
const victims = select('headroom.oom.victims');
const kernelKills = select('headroom.oom.kills');
const stalledForMemory = select(
  'headroom.pressure.stall.time',
  is('headroom.pressure.resource', 'memory'),
  is('headroom.pressure.type', 'full'),
);
const majorFaults = select('system.paging.faults', is('system.paging.fault.type', 'major'));
const worstOfMinute = select(
  'headroom.rollup.memory.utilization',
  is('headroom.rollup.stat', 'max'),
  is('headroom.rollup.window', '1m'),
);

const exported = select(
  'headroom.export.items',
  matches('headroom.export.outcome', 'dropped|rejected'),
);
const outcome = labelOf('headroom.export.outcome');
const reason = labelOf('error.type');

// `max by` everywhere: a session that is both pushed and scraped has every series twice.
const left = `max by (${ofSession}) (${available}) / max by (${ofSession}) (${limit})`;

const ofOneSession: readonly AlertRule[] = [
  {
    alert: 'HeadroomOomKill',
    signal: `max by (${ofSession}, ${role}) (increase(${victims}[5m]))`,
    condition: '> 0',
    severity: 'critical',
    summary: `The kernel killed a {{ $labels.${role} }} process for want of memory`,
    description: `${whose}: its kernel's log names a process of the browser as the victim of an OOM kill in the last five minutes.`,
    dashboard: dashboardIds.postMortem,
  },
  {
    alert: 'HeadroomOomKillUnnamed',
    signal: `max by (${ofSession}) (increase(${kernelKills}[5m]))`,
    condition: '> 0',
    restriction: ` unless on (${session}) sum by (${session}) (increase(${victims}[5m])) > 0`,
    severity: 'warning',
    summary: 'The kernel killed something for want of memory',
    description: `${whose}: the kernel's counter of OOM kills moved, and no process of the browser is named as the victim.`,
    dashboard: dashboardIds.postMortem,
  },
  {
    alert: 'HeadroomMemoryLow',
    signal: left,
    condition: '< 0.1',
    for: '30s',
    keepFiringFor: '2m',
    severity: 'warning',
    summary: 'Less than a tenth of the memory is left',
    description: `${whose}: {{ $value | humanizePercentage }} of its limit is available, for 30 seconds.`,
    dashboard: dashboardIds.session,
  },
  {
    alert: 'HeadroomMemoryExhaustionPredicted',
    signal: `max by (${ofSession}) (predict_linear(${available}[10m], 900))`,
    condition: '< 0',
    restriction: ` and ${left} < 0.5`,
    for: '1m',
    severity: 'warning',
    summary: 'Memory will be used up within 15 minutes',
    description: `${whose}: as it went in the last ten minutes, nothing is left in a quarter of an hour. Less than half is left now.`,
    dashboard: dashboardIds.session,
  },
  {
    alert: 'HeadroomMemoryPressure',
    signal: `max by (${ofSession}) (rate(${stalledForMemory}[1m]))`,
    condition: '> 0.05',
    for: '1m',
    severity: 'warning',
    summary: 'Everything waits for memory',
    description: `${whose}: all of its tasks waited for memory in {{ $value | humanizePercentage }} of the time.`,
    dashboard: dashboardIds.session,
  },
  {
    alert: 'HeadroomThrashing',
    signal: `max by (${ofSession}) (rate(${majorFaults}[2m]))`,
    condition: '> 500',
    for: '2m',
    severity: 'warning',
    summary: 'Pages are read again from storage all the time',
    description: `${whose}: {{ $value | humanize }} major page faults a second.`,
    dashboard: dashboardIds.session,
  },
  {
    alert: 'HeadroomRecorderStalled',
    signal: `max by (${ofSession}) (max_over_time(${select('headroom.collector.lateness')}[5m]))`,
    condition: '> 10',
    severity: 'warning',
    summary: 'The recorder stood still',
    description: `${whose}: a sample was begun {{ $value | humanizeDuration }} late. What happened in between is not recorded.`,
    dashboard: dashboardIds.postMortem,
  },
  {
    alert: 'HeadroomExportLoss',
    // Told with the loss, and seldom again: `increase` would miss what the first report says.
    signal: `max by (${ofSession}, ${outcome}, ${reason}) (max_over_time(${exported}[15m]))`,
    condition: '> 0',
    severity: 'warning',
    summary: `Points or events were {{ $labels.${outcome} }} on their way here`,
    description: `${whose}: {{ $value }} {{ $labels.${outcome} }} in all ({{ $labels.${reason} }}). They are in the recording, and missing here.`,
    dashboard: dashboardIds.session,
  },
];

const fleet: readonly AlertRule[] = [
  {
    alert: 'HeadroomTierTooSmall',
    signal: `quantile by (${tier}) (0.95, max by (${ofSession}) (max_over_time(${worstOfMinute}[1h])))`,
    condition: '> 0.9',
    restriction: ` and on (${tier}) count by (${tier}) (count by (${session}, ${tier}) (max_over_time(${worstOfMinute}[1h]))) >= 5`,
    for: '30m',
    severity: 'info',
    summary: `Sessions of tier {{ $labels.${tier} }} come close to their limit`,
    description:
      'One in twenty sessions of the last hour, of at least five, had {{ $value | humanizePercentage }} of its limit in use or more at some time.',
    dashboard: dashboardIds.fleet,
  },
];

/** What somebody should look at. */
export const alertGroups: readonly RuleGroup<AlertRule>[] = [
  { name: 'headroom-sessions', rules: ofOneSession },
  { name: 'headroom-fleet', interval: '1m', rules: fleet },
];
