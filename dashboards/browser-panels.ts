import type { PanelBuilder as TableBuilder } from '@grafana/grafana-foundation-sdk/table';
import type { PanelBuilder } from '@grafana/grafana-foundation-sdk/timeseries';
import * as units from '@grafana/grafana-foundation-sdk/units';
import { roleColors } from './colors.ts';
import { linesPanel, tablePanel } from './panels.ts';
import { role } from './promql.ts';
import {
  fastestGrowth,
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
    overrides: roleColors,
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
    overrides: roleColors,
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
    overrides: roleColors,
    isStepped: true,
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
    overrides: roleColors,
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
    overrides: roleColors,
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
  const memory = 'headroom.browser.memory.anonymous';
  return tablePanel({
    title: 'Roles over the time range',
    description:
      'Anonymous memory of each role at most, and its fastest growth over a minute; RSS of its largest process; and how many of its processes the kernel killed for want of memory. The victim is not always the one that grew.',
    unit: units.BytesIEC,
    datasource,
    targets: [
      rows(overallPerRole('max_over_time', memory)),
      rows(fastestGrowth(memory, [role])),
      rows(overallPerRole('max_over_time', 'headroom.browser.process.memory.max')),
      rows(overallPerRole('max_over_time', 'headroom.oom.victims')),
    ],
    transformations: columnsOf({
      key: role,
      keyTitle: 'Role',
      values: ['At most', 'Growth', 'Largest process', 'Killed'],
    }),
    overrides: {
      Growth: [{ id: 'unit', value: units.BytesPerSecondIEC }],
      Killed: [{ id: 'unit', value: units.NoUnit }],
    },
    span,
  });
}
