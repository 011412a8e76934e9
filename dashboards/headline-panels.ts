import type { PanelBuilder } from '@grafana/grafana-foundation-sdk/stat';
import * as units from '@grafana/grafana-foundation-sdk/units';
import { lowestHeadroomPanel } from './lowest-headroom.ts';
import { noneIsGood, statPanel } from './panels.ts';
import { is, select } from './promql.ts';
import {
  lowestLeft,
  oomVictims,
  overall,
  overallPerRole,
  workingSetP95,
} from './session-queries.ts';
import { prometheus as datasource, value } from './targets.ts';

const span = 4;

export function lowestHeadroom(): PanelBuilder {
  return lowestHeadroomPanel({ datasource, targets: [value(lowestLeft)], span });
}

export function available(): PanelBuilder {
  return statPanel({
    title: 'Available',
    description:
      'What could be allocated at the latest sample without taking back what is in use: of machine and cgroup the smaller.',
    unit: units.BytesIEC,
    datasource,
    targets: [value(overall('last_over_time', 'headroom.memory.available'))],
    span,
  });
}

export function percentile95(): PanelBuilder {
  return statPanel({
    title: 'Working set, p95',
    description:
      'Of a finished session the figure of `headroom report`, weighted by time. While it runs, the 95th percentile of the samples in the time range.',
    unit: units.BytesIEC,
    datasource,
    targets: [value(workingSetP95)],
    span,
  });
}

export function limit(): PanelBuilder {
  return statPanel({
    title: 'Limit',
    description: 'The limit that binds: of the machine or of a memory cgroup, the smaller.',
    unit: units.BytesIEC,
    datasource,
    targets: [value(overall('last_over_time', 'headroom.memory.limit'))],
    span,
  });
}

export function browserKills(): PanelBuilder {
  return statPanel({
    title: 'OOM kills of the browser',
    description:
      "Processes of the browser that the kernel's log names as killed for want of memory, from the start of the recording to the end of the time range.",
    unit: units.NoUnit,
    datasource,
    targets: [value(oomVictims)],
    steps: noneIsGood,
    span,
  });
}

export function kernelKills(): PanelBuilder {
  return statPanel({
    title: "OOM kills, kernel's count",
    description:
      "By the kernel's own counters, whatever the victim. The machine's includes the cgroup's and, on a shared machine, the neighbours'. More than the browser's: the victim was another process, or the log could not be read.",
    unit: units.NoUnit,
    datasource,
    targets: [
      value(
        overall('max_over_time', 'headroom.oom.kills', is('headroom.oom.scope', 'machine')),
        'machine',
      ),
      value(
        overall('max_over_time', 'headroom.oom.kills', is('headroom.oom.scope', 'cgroup')),
        'cgroup',
      ),
    ],
    steps: noneIsGood,
    span,
  });
}

export function processes(): PanelBuilder {
  return statPanel({
    title: 'Processes',
    description: 'Living processes of the browser at the latest sample.',
    unit: units.NoUnit,
    datasource,
    targets: [value(`sum(${overallPerRole('last_over_time', 'headroom.browser.processes')})`)],
    span,
  });
}

export function peak(): PanelBuilder {
  return statPanel({
    title: 'Peak',
    description:
      "The kernel's high-water mark of the cgroup that binds, else the largest working set sampled.",
    unit: units.BytesIEC,
    datasource,
    targets: [value(overall('max_over_time', 'headroom.memory.peak'))],
    span,
  });
}

export function limitHits(): PanelBuilder {
  return statPanel({
    title: 'Limit reached',
    description:
      'How often the memory cgroup reached its limit and had to take memory back. No data without a limited cgroup.',
    unit: units.NoUnit,
    datasource,
    targets: [value(overall('max_over_time', 'headroom.memory.limit_hits'))],
    span,
  });
}

export function lastSample(): PanelBuilder {
  const limitOfSession = select('headroom.memory.limit', is('session.id', '$session'));
  return statPanel({
    title: 'Last sample',
    description:
      'When the session was last heard of in the time range, to 15 s: the recording ended, or its machine did.',
    unit: units.DatetimeISO,
    datasource,
    targets: [value(`1000 * max(max_over_time(timestamp(${limitOfSession})[$__range:15s]))`)],
    span,
  });
}
