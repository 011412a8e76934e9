import type { PanelBuilder as TableBuilder } from '@grafana/grafana-foundation-sdk/table';
import type { PanelBuilder } from '@grafana/grafana-foundation-sdk/timeseries';
import * as units from '@grafana/grafana-foundation-sdk/units';
import { linesPanel, tablePanel } from './panels.ts';
import { role } from './promql.ts';
import {
  growth,
  highest,
  highestPer,
  ofWholeSession,
  overallPerRole,
  ratePer,
} from './session-queries.ts';
import { columnsOf } from './table-columns.ts';
import { prometheus as datasource, lines, rates, rows } from './targets.ts';

const legend = `{{${role}}}`;

export function pssByRole(span: number): PanelBuilder {
  return linesPanel({
    title: 'Memory by role (PSS)',
    description:
      'Shared pages are split between those who share them, so the roles add up. Read about once a minute for each process, in between estimated.',
    unit: units.BytesIEC,
    datasource,
    targets: [lines(highestPer(role, 'headroom.browser.memory.pss'), legend)],
    isStacked: true,
    span,
  });
}

export function largestProcess(span: number): PanelBuilder {
  return linesPanel({
    title: 'Largest process of each role (RSS)',
    description: 'One leaking tab shows here as one line that climbs.',
    unit: units.BytesIEC,
    datasource,
    targets: [lines(highestPer(role, 'headroom.browser.process.memory.max'), legend)],
    span,
  });
}

export function processCounts(span: number): PanelBuilder {
  return linesPanel({
    title: 'Processes by role',
    description:
      'A step down is a tab that was closed, or a process that died. Zombies have ended and nobody has collected them.',
    unit: units.NoUnit,
    datasource,
    targets: [
      lines(highestPer(role, 'headroom.browser.processes'), legend),
      lines(highest('headroom.browser.zombies'), 'zombies'),
    ],
    span,
  });
}

export function cpuByRole(span: number): PanelBuilder {
  return linesPanel({
    title: 'CPU by role',
    description: 'In cores: 1 is one processor all the time.',
    unit: units.Short,
    datasource,
    targets: [rates(ratePer([role], 'headroom.browser.cpu.time'), legend)],
    isStacked: true,
    span,
  });
}

export function growthByRole(span: number): PanelBuilder {
  return linesPanel({
    title: 'Growth by role',
    description:
      'Of anonymous memory, by a straight line through the minute before: who took the memory before the end.',
    unit: units.BytesPerSecondIEC,
    datasource,
    targets: [lines(growth('headroom.browser.memory.anonymous', [role]), legend)],
    isSigned: true,
    span,
  });
}

/** Of the finished session, by role: the percentiles of the report. */
export function rolePercentiles(span: number): TableBuilder {
  const metric = 'headroom.rollup.browser.memory.pss';
  const stats = ['p50', 'p95', 'p99', 'max'];
  return tablePanel({
    title: 'PSS by role, whole session',
    description: 'The percentiles of `headroom report`. There when the session has ended.',
    unit: units.BytesIEC,
    datasource,
    targets: stats.map((stat) =>
      rows(overallPerRole('last_over_time', metric, ...ofWholeSession(stat))),
    ),
    transformations: columnsOf({ key: role, keyTitle: 'Role', values: stats }),
    span,
  });
}

export function roleChanges(span: number): TableBuilder {
  return tablePanel({
    title: 'Roles over the time range',
    description:
      'Lowest, highest and last of the time range. Last far above lowest: that role kept what it took. Killed: by the kernel, for want of memory.',
    unit: units.BytesIEC,
    datasource,
    targets: [
      rows(overallPerRole('min_over_time', 'headroom.browser.memory.anonymous')),
      rows(overallPerRole('max_over_time', 'headroom.browser.memory.anonymous')),
      rows(overallPerRole('last_over_time', 'headroom.browser.memory.anonymous')),
      rows(overallPerRole('max_over_time', 'headroom.browser.process.memory.max')),
      rows(overallPerRole('max_over_time', 'headroom.oom.victims')),
    ],
    transformations: columnsOf({
      key: role,
      keyTitle: 'Role',
      values: ['Lowest', 'Highest', 'Last', 'Largest process', 'Killed'],
    }),
    overrides: { Killed: [{ id: 'unit', value: units.NoUnit }] },
    span,
  });
}
