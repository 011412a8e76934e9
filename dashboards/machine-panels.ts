import type { PanelBuilder as TableBuilder } from '@grafana/grafana-foundation-sdk/table';
import type { PanelBuilder } from '@grafana/grafana-foundation-sdk/timeseries';
import * as units from '@grafana/grafana-foundation-sdk/units';
import { linesPanel, tablePanel } from './panels.ts';
import { labelOf } from './promql.ts';
import { highest, highestPer, overallPer, ratePer } from './session-queries.ts';
import { columnsOf } from './table-columns.ts';
import { prometheus as datasource, lines, rates, rows } from './targets.ts';

const resource = labelOf('headroom.pressure.resource');
const stallType = labelOf('headroom.pressure.type');
const pagingType = labelOf('headroom.paging.type');
const direction = labelOf('system.paging.direction');
const mode = labelOf('cpu.mode');
const memoryState = labelOf('system.memory.state');

export function stalls(span: number): PanelBuilder {
  return linesPanel({
    title: 'Stalls (PSI)',
    description:
      'The share of time in which some, or all, tasks waited for memory, CPU or storage. All of them waiting for memory for more than a few per cent is felt; half of the time is a standstill.',
    unit: units.PercentUnit,
    datasource,
    targets: [
      rates(
        ratePer([resource, stallType], 'headroom.pressure.stall.time'),
        `{{${resource}}}, {{${stallType}}}`,
      ),
    ],
    span,
  });
}

export function paging(span: number): PanelBuilder {
  return linesPanel({
    title: 'Faults and refaults',
    description:
      'Major faults waited for a disk. Refaults are pages that were thrown out and needed again: climbing, the machine is thrashing, often before a kill and sometimes instead of one.',
    unit: units.CountsPerSecond,
    datasource,
    targets: [
      rates(ratePer([labelOf('session.id')], 'system.paging.faults'), 'major faults'),
      rates(ratePer([pagingType], 'headroom.paging.refaults'), `refaults, {{${pagingType}}}`),
    ],
    span,
  });
}

export function swap(span: number): PanelBuilder {
  return linesPanel({
    title: 'Swap',
    description: 'Read from and written to swap. Nothing where there is none.',
    unit: units.BytesPerSecondIEC,
    datasource,
    targets: [rates(ratePer([direction], 'headroom.paging.io'), `swap {{${direction}}}`)],
    span,
  });
}

export function machineCpu(span: number): PanelBuilder {
  return linesPanel({
    title: 'CPU of the machine',
    description:
      'In cores, without idle. Steal is time that the hypervisor gave to others; iowait is time in which a processor had nothing to do but wait for storage.',
    unit: units.Short,
    datasource,
    targets: [rates(ratePer([mode], 'system.cpu.time', `${mode}!="idle"`), `{{${mode}}}`)],
    isStacked: true,
    span,
  });
}

export function machineMemory(span: number): PanelBuilder {
  return linesPanel({
    title: 'Memory of the machine',
    description:
      'By state. The states overlap: they do not add up. Used is what `free` of procps 4 prints.',
    unit: units.BytesIEC,
    datasource,
    targets: [
      lines(highestPer(memoryState, 'system.memory.usage'), `{{${memoryState}}}`),
      lines(highest('system.memory.linux.shared'), 'shared'),
    ],
    span,
  });
}

export function recorderCost(span: number): PanelBuilder {
  return linesPanel({
    title: 'Recorder, lateness and reading',
    description:
      'How late each sample was begun and how long it took to read. Seconds of lateness are a machine that stood still.',
    unit: units.Seconds,
    datasource,
    targets: [
      lines(highest('headroom.collector.lateness'), 'lateness'),
      lines(highest('headroom.collector.read.duration'), 'reading'),
      rates(
        ratePer([labelOf('session.id')], 'headroom.collector.cpu.time'),
        'CPU seconds a second',
      ),
    ],
    span,
  });
}

/** Whether what is on the other panels is all there is. */
export function delivery(span: number): TableBuilder {
  const outcome = labelOf('headroom.export.outcome');
  const error = labelOf('error.type');
  return tablePanel({
    title: 'Delivery',
    description:
      'Points and events of the session that its exporter sent, that the receiver rejected, and that were dropped, with the reason. No data where the session is scraped, or the export was made outside of the time range.',
    unit: units.NoUnit,
    datasource,
    targets: [rows(overallPer([outcome, error], 'max_over_time', 'headroom.export.items'))],
    transformations: columnsOf({
      key: outcome,
      keyTitle: 'Outcome',
      others: { [error]: 'Reason' },
      values: ['Points and events'],
    }),
    span,
  });
}

export function cgroupMemory(span: number): PanelBuilder {
  return linesPanel({
    title: 'Memory of the cgroup',
    description:
      'Of the memory cgroup whose limit binds. Usage includes file cache that can be dropped; anonymous memory cannot. No data without one.',
    unit: units.BytesIEC,
    datasource,
    targets: [
      lines(highest('container.memory.usage'), 'usage'),
      lines(highest('container.memory.working_set'), 'working set'),
      lines(highest('container.memory.rss'), 'anonymous'),
    ],
    span,
  });
}
