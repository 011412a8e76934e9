import type uPlot from 'uplot';
import { formatRatio } from '../../../analysis/format.ts';
import { formatBytes } from '../../../model/format-bytes.ts';
import type { ChartOptions } from './chart.ts';
import { gridColor, inkColor } from './colors.ts';
import { formatTime } from './times.ts';

/** Time below, in what is needed of it; the values beside, in the unit of the picture. */
export function chartAxes({
  unit,
  elapsedFromUnixMs,
}: Pick<ChartOptions, 'unit' | 'elapsedFromUnixMs'>): uPlot.Axis[] {
  const look = { stroke: inkColor, grid: { stroke: gridColor, width: 1 } };
  return [
    {
      ...look,
      values: (_plot, splits, _axis, _space, step) =>
        splits.map((at, place) =>
          elapsedFromUnixMs === undefined
            ? axisTime(at, { step, isFirst: place === 0 })
            : elapsed(at - elapsedFromUnixMs),
        ),
    },
    {
      ...look,
      size: 78,
      ...(unit === 'bytes' ? { incrs: powersOfTwo } : {}),
      values: (_plot, splits) => splits.map((value) => formatValue(unit, value)),
    },
  ];
}

/** As people read it; empty for what is not known. */
export function formatValue(unit: ChartOptions['unit'], value: number | null | undefined): string {
  if (value === null || value === undefined) return '';
  return unit === 'bytes' ? formatBytes(value) : formatRatio(value);
}

const powersOfTwo = Array.from({ length: 40 }, (_, at) => 2 ** (at + 8));

/** The time of day, to what the steps of the axis need; with the date where that is news. */
function axisTime(unixMs: number, { step, isFirst }: { step: number; isFirst: boolean }): string {
  const [date = '', time = ''] = formatTime(unixMs).split(' ');
  if (step >= dayMs) return date;
  const short = time.slice(0, step < minuteMs ? 8 : 5);
  return isFirst || time.startsWith('00:00:00') ? `${short}\n${date}` : short;
}

const minuteMs = 60_000;
const dayMs = 86_400_000;

function elapsed(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const parts = [Math.floor(seconds / 60) % 60, Math.abs(seconds) % 60];
  return [Math.floor(seconds / 3600), ...parts.map((part) => String(part).padStart(2, '0'))].join(
    ':',
  );
}
