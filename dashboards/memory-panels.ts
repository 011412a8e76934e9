import type { PanelBuilder } from '@grafana/grafana-foundation-sdk/timeseries';
import * as units from '@grafana/grafana-foundation-sdk/units';
import { memoryColors } from './colors.ts';
import { linesPanel } from './panels.ts';
import { is, labelOf } from './promql.ts';
import { growth, highest, highestPer, lowest } from './session-queries.ts';
import { prometheus as datasource, lines } from './targets.ts';

const stat = labelOf('headroom.rollup.stat');

export function againstLimit(span: number): PanelBuilder {
  return linesPanel({
    title: 'Memory against the limit',
    description:
      "Working set: charged memory less the file pages that the kernel drops first. Unreclaimable is the browser's own footprint. Each point is the highest in its step, of what is available the lowest. Where the working set meets the limit, the kernel kills.",
    unit: units.BytesIEC,
    datasource,
    targets: [
      lines(highest('headroom.memory.limit'), 'limit'),
      lines(highest('headroom.memory.working_set'), 'working set'),
      lines(highest('headroom.browser.memory.unreclaimable'), 'browser, unreclaimable'),
      lines(lowest('headroom.memory.available'), 'available'),
    ],
    overrides: memoryColors,
    span,
  });
}

export function minutePercentiles(span: number): PanelBuilder {
  const metric = 'headroom.rollup.memory.working_set';
  return linesPanel({
    title: 'Working set, percentiles of each minute',
    description:
      'Weighted by time; at the end of each minute. Far apart: memory comes and goes within the minute. All rising: it does not come back.',
    unit: units.BytesIEC,
    datasource,
    targets: [lines(highestPer(stat, metric, is('headroom.rollup.window', '1m')), `{{${stat}}}`)],
    span,
  });
}

export function growthPanel(span: number): PanelBuilder {
  return linesPanel({
    title: 'Growth',
    description:
      'By a straight line through the minute before. Growth of the browser that does not go back is a leak; the limit less what is used, divided by it, is the time that is left.',
    unit: units.BytesPerSecondIEC,
    datasource,
    targets: [
      lines(growth('headroom.memory.working_set', [labelOf('session.id')]), 'working set'),
      lines(
        growth('headroom.browser.memory.unreclaimable', [labelOf('session.id')]),
        'browser, unreclaimable',
      ),
    ],
    isSigned: true,
    overrides: memoryColors,
    span,
  });
}
