import type { DataTransformerConfig } from '@grafana/grafana-foundation-sdk/dashboard';
import type { PanelBuilder as HeatmapBuilder } from '@grafana/grafana-foundation-sdk/heatmap';
import type { PanelBuilder as HistogramBuilder } from '@grafana/grafana-foundation-sdk/histogram';
import type { PanelBuilder as TableBuilder } from '@grafana/grafana-foundation-sdk/table';
import type { PanelBuilder as LinesBuilder } from '@grafana/grafana-foundation-sdk/timeseries';
import * as units from '@grafana/grafana-foundation-sdk/units';
import {
  highestOfEach,
  killedPerTier,
  killsInStep,
  killsOfEach,
  needsOfEach,
  ofFleet,
  quantileOfNeeds,
  quantileOfTime,
  sessionsPerTier,
  timeByUtilization,
} from './fleet-queries.ts';
import { dashboardIds } from './frame.ts';
import { heatmapPanel, histogramPanel, linesPanel, tablePanel, wideEnoughForId } from './panels.ts';
import { is, provider, session, tier } from './promql.ts';
import { columnsOf } from './table-columns.ts';
import {
  buckets,
  prometheus as datasource,
  lines,
  minutes,
  rates,
  rows,
  value,
} from './targets.ts';

const legend = `{{${tier}}}`;

export function tiers(span: number): TableBuilder {
  return tablePanel({
    title: 'Tiers',
    description:
      'What the sessions of each tier needed at most (working set), as quantiles over the sessions, and the share of the limit that was not passed in 95 % of all their time. A tier whose p99 is below half of its size is paid for twice; one with killed sessions is too small, and its figures are lower bounds.',
    unit: units.BytesIEC,
    datasource,
    targets: [
      rows(sessionsPerTier),
      rows(killedPerTier),
      ...[0.5, 0.95, 0.99, 1].map((quantile) => rows(quantileOfNeeds(quantile))),
      rows(quantileOfTime(0.95)),
    ],
    transformations: columnsOf({
      key: tier,
      keyTitle: 'Tier',
      values: ['Sessions', 'Killed', 'p50', 'p95', 'p99', 'Largest', 'In use, p95'],
    }),
    overrides: {
      Sessions: [plainNumber],
      Killed: [plainNumber],
      'In use, p95': [{ id: 'unit', value: units.PercentUnit }],
    },
    span,
  });
}

const plainNumber = { id: 'unit', value: units.NoUnit };

export function needsOfSessions(span: number): HistogramBuilder {
  return histogramPanel({
    title: 'What sessions needed at most',
    description:
      'How many sessions had which largest working set. Two humps are two kinds of work: size them apart.',
    unit: units.BytesIEC,
    datasource,
    targets: [value(needsOfEach, legend)],
    span,
  });
}

export function timeAtUtilization(span: number): HeatmapBuilder {
  return heatmapPanel({
    title: 'Time at each utilization',
    description:
      'How much of the time of all sessions was spent at which share of the limit. What is bright at the top is close to being killed.',
    unit: units.PercentUnit,
    datasource,
    targets: [buckets(timeByUtilization)],
    span,
  });
}

export function utilizationOverTime(span: number): LinesBuilder {
  const worstOfMinute = ofFleet(
    'headroom.rollup.memory.utilization',
    is('headroom.rollup.stat', 'max'),
    is('headroom.rollup.window', '1m'),
  );
  return linesPanel({
    title: 'Utilization of the running sessions, p95',
    description:
      'Of each session and minute the highest share of its limit; of those the 95th percentile over the sessions of the tier.',
    unit: units.PercentUnit,
    datasource,
    targets: [
      lines(
        `quantile by (${tier}) (0.95, max by (${session}, ${tier}) (${worstOfMinute}))`,
        legend,
      ),
    ],
    isStepped: true,
    span,
  });
}

export function runningSessions(span: number): LinesBuilder {
  return linesPanel({
    title: 'Running sessions',
    description: 'Sessions that were heard of, by tier.',
    unit: units.NoUnit,
    datasource,
    targets: [
      lines(
        `count by (${tier}) (count by (${session}, ${tier}) (${ofFleet('headroom.memory.limit')}))`,
        legend,
      ),
    ],
    isStacked: true,
    isStepped: true,
    span,
  });
}

export function killsOverTime(span: number): LinesBuilder {
  return linesPanel({
    title: 'OOM kills',
    description:
      'Processes of browsers that the kernel killed for want of memory, in the time that each bar stands for.',
    unit: units.NoUnit,
    datasource,
    targets: [minutes(killsInStep, legend)],
    isBars: true,
    isStacked: true,
    span,
  });
}

export function stalledOverTime(span: number): LinesBuilder {
  const full = ofFleet(
    'headroom.pressure.stall.time',
    is('headroom.pressure.resource', 'memory'),
    is('headroom.pressure.type', 'full'),
  );
  return linesPanel({
    title: 'Time stalled for memory',
    description:
      'The share of time in which all tasks of a session waited for memory, as a mean over the sessions of the tier. People notice this before anything is killed.',
    unit: units.PercentUnit,
    datasource,
    targets: [
      rates(
        `avg by (${tier}) (max by (${session}, ${tier}) (rate(${full}[$__rate_interval])))`,
        legend,
      ),
    ],
    span,
  });
}

/** The sessions to look at first; each leads to its own dashboard. */
export function fullestSessions(span: number): TableBuilder {
  const shares = highestOfEach('headroom.rollup.memory.utilization');
  const fullest = `topk(20, ${shares})`;
  // Of the same sessions only: `and` keeps what has a partner.
  const ofThese = (expr: string) => `${expr} and on (${session}) ${fullest}`;
  return tablePanel({
    title: 'Fullest sessions',
    description: 'The 20 that came closest to their limit. A session leads to its overview.',
    unit: units.BytesIEC,
    datasource,
    targets: [rows(fullest), rows(ofThese(needsOfEach)), rows(ofThese(killsOfEach))],
    transformations: [
      ...columnsOf({
        key: session,
        keyTitle: 'Session',
        values: ['Utilization at most', 'Largest working set', 'OOM kills'],
        others: { [tier]: 'Tier', [provider]: 'Provider' },
      }),
      mostFirst('Utilization at most'),
    ],
    overrides: {
      'Utilization at most': [{ id: 'unit', value: units.PercentUnit }],
      'OOM kills': [plainNumber],
      Session: [
        ...wideEnoughForId,
        { id: 'links', value: [linkTo(dashboardIds.session), linkTo(dashboardIds.postMortem)] },
      ],
    },
    span,
  });
}

function mostFirst(field: string): DataTransformerConfig {
  return { id: 'sortBy', options: { sort: [{ field, desc: true }] } };
}

function linkTo(uid: string): { title: string; url: string } {
  const title = uid === dashboardIds.session ? 'Overview' : 'Post-mortem';
  const query = 'var-datasource=${datasource}&var-session=${__value.raw}&${__url_time_range}';
  return { title, url: `/d/${uid}?${query}` };
}
