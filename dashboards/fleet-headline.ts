import type { PanelBuilder } from '@grafana/grafana-foundation-sdk/stat';
import * as units from '@grafana/grafana-foundation-sdk/units';
import { highestOfEach, killsOfEach, needsOfEach } from './fleet-queries.ts';
import { noneIsGood, statPanel } from './panels.ts';
import { prometheus as datasource, value } from './targets.ts';
import { candidateSize } from './variables.ts';

const span = 4;
const shares = highestOfEach('headroom.rollup.memory.utilization');
// Room for what a minute's samples did not see, and for the next version of the page.
const usableShare = 0.8;

export function sessions(): PanelBuilder {
  return statPanel({
    title: 'Sessions',
    description:
      'Sessions of the chosen providers and tiers that were heard of in the time range. A new one counts from the end of its first minute.',
    unit: units.NoUnit,
    datasource,
    targets: [value(`count(${needsOfEach})`)],
    span,
  });
}

export function killedSessions(): PanelBuilder {
  return statPanel({
    title: 'Sessions with an OOM kill',
    description:
      'In which the kernel killed at least one process of the browser for want of memory. What such a session needed is unknown: more than it got.',
    unit: units.NoUnit,
    datasource,
    targets: [value(`sum(${killsOfEach} > bool 0)`)],
    steps: noneIsGood,
    span,
  });
}

export function killedShare(): PanelBuilder {
  return statPanel({
    title: 'Share with an OOM kill',
    description: 'Sessions with an OOM kill, as a share of all.',
    unit: units.PercentUnit,
    datasource,
    targets: [value(`avg(${killsOfEach} > bool 0)`)],
    steps: [
      { color: 'green', value: null },
      { color: 'yellow', value: 0.001 },
      { color: 'red', value: 0.01 },
    ],
    decimals: 2,
    span,
  });
}

export function fullness(): PanelBuilder {
  return statPanel({
    title: 'Utilization at most, p95',
    description:
      'Of each session the highest share of its limit that its working set took; of those the 95th percentile over the sessions.',
    unit: units.PercentUnit,
    datasource,
    targets: [value(`quantile(0.95, ${shares})`)],
    steps: [
      { color: 'green', value: null },
      { color: 'yellow', value: 0.8 },
      { color: 'red', value: 0.9 },
    ],
    decimals: 1,
    span,
  });
}

export function fitting(): PanelBuilder {
  return statPanel({
    title: 'Would fit the candidate size',
    description:
      'Share of the sessions whose working set never passed 80 % of the candidate size. One with an OOM kill counts as not fitting: what it needed is unknown.',
    unit: units.PercentUnit,
    datasource,
    targets: [
      value(
        `avg((${needsOfEach} < bool ${usableShare} * $${candidateSize}) * (${killsOfEach} == bool 0))`,
      ),
    ],
    decimals: 1,
    span,
  });
}

export function largest(): PanelBuilder {
  return statPanel({
    title: 'Largest working set',
    description: 'Of all sessions in the time range.',
    unit: units.BytesIEC,
    datasource,
    targets: [value(`max(${needsOfEach})`)],
    span,
  });
}
