import type uPlot from 'uplot';
import type { ChartOptions } from './chart.ts';
import { formatValue } from './chart-axes.ts';
import { element } from './dom.ts';
import type { Range } from './source.ts';
import { formatTime } from './times.ts';

/** The numbers of a picture: what is seen of it, at most so many lines. */
export function chartTable(
  { lines, viewport, title, shownValue, unit }: ChartOptions,
  [times = [], ...columns]: uPlot.AlignedData,
): HTMLElement {
  const isHole = (at: number) => columns.every((column) => (column[at] ?? null) === null);
  const rows = rowsOf(times, viewport.shown, isHole);
  const cell = (line: number, at: number) => {
    const value = shownValue?.(line, at) ?? columns[line]?.[at] ?? null;
    const text = value === null ? 'unknown' : formatValue(unit, value);
    return unit === 'bytes' && value !== null
      ? element('data', { value, title: `${value.toLocaleString('en')} bytes` }, [text])
      : text;
  };
  return element('table', {}, [
    element('caption', {}, [title]),
    element('thead', {}, [
      element(
        'tr',
        {},
        ['time', ...lines.map(({ label }) => label)].map((head) =>
          element('th', { scope: 'col' }, [head]),
        ),
      ),
    ]),
    element(
      'tbody',
      {},
      rows.map((at) =>
        element('tr', {}, [
          element('th', { scope: 'row' }, [formatTime(times[at] ?? null)]),
          ...lines.map((_, line) => element('td', {}, [cell(line, at)])),
        ]),
      ),
    ),
  ]);
}

const mostRows = 60;
/** Which points a table of the window shows: some of them, and the holes between them. */
function rowsOf(
  times: ArrayLike<number>,
  { fromUnixMs, toUnixMs }: Range,
  isHole: (at: number) => boolean,
): number[] {
  const shown = Array.from(times).flatMap((time, at) =>
    time >= fromUnixMs && time <= toUnixMs ? [at] : [],
  );
  const step = Math.max(1, Math.ceil(shown.length / mostRows));
  return shown.filter((at, place) => place % step === 0 || isHole(at)).slice(0, 4 * mostRows);
}
