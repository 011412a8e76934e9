import uPlot from 'uplot';
import { formatRatio } from '../../../analysis/format.ts';
import { formatBytes } from '../../../model/format-bytes.ts';
import { gridColor, inkColor, onScheme } from './colors.ts';
import { element } from './dom.ts';
import type { Range } from './source.ts';
import { formatTime, onZone, shownZone } from './times.ts';
import type { Viewport } from './viewport.ts';

export interface ChartLine {
  label: string;
  color(): string;
  dash?: number[];
  /** The area below it is filled, down to the line before it or to the ground. */
  fill?: () => string;
  width?: number;
}

export interface ChartOptions {
  title: string;
  /** What is to be seen, for who cannot see it. */
  description: string;
  unit: 'bytes' | 'ratio';
  lines: readonly ChartLine[];
  /** Pairs of lines between which there is something. */
  bands?: { between: [upper: number, lower: number]; fill(): string }[];
  /** Values that are shown for the nth line instead of where it is drawn: of a stack, its own share. */
  shownValue?: (line: number, at: number) => number | null;
  /** Upper end of the scale; default: the largest that is there. */
  top?: (largest: number) => number;
  height?: number;
  viewport: Viewport;
  /** Drawn behind the lines. */
  backdrop?: (plot: uPlot) => void;
  /** Times on the axis are counted from here; default: they are times of day. */
  elapsedFromUnixMs?: number;
}

type Column = (number | null)[];

/** A picture of lines over time: with its keys, a table of the same numbers, and the shared window. */
export class Chart {
  readonly element: HTMLElement;
  readonly #options: ChartOptions;
  readonly #plot: uPlot;
  readonly #end: (() => void)[] = [];
  #data: uPlot.AlignedData = [[]];

  constructor(options: ChartOptions) {
    this.#options = options;
    const body = element('div', { class: 'plot' });
    this.element = element(
      'figure',
      {
        class: 'chart',
        tabindex: 0,
        role: 'group',
        'aria-label': `${options.title}. ${options.description}`,
      },
      [element('figcaption', {}, [options.title]), body, this.#tableElement()],
    );
    this.#plot = new uPlot(this.#plotOptions(), [[], ...options.lines.map(() => [])], body);
    const sizes = new ResizeObserver(() => this.#fit(body));
    sizes.observe(body);
    this.#end.push(
      () => sizes.disconnect(),
      onScheme(() => this.#plot.redraw(false)),
      onZone(() => this.#plot.redraw(false, true)),
    );
    this.element.addEventListener('keydown', (event) => this.#onKey(event));
    body.addEventListener('wheel', (event) => this.#onWheel(event), { passive: false });
    options.viewport.onChange(() => this.#showWindow());
  }

  setData(timesUnixMs: readonly number[], columns: readonly Column[]): void {
    this.#data = [timesUnixMs as number[], ...columns] as uPlot.AlignedData;
    this.#plot.setData(this.#data, false);
    this.#showWindow();
    // What a test, and a reader of the page, can ask for without looking.
    this.element.dataset['points'] = String(timesUnixMs.length);
  }

  destroy(): void {
    for (const end of this.#end) end();
    this.#plot.destroy();
  }

  #showWindow(): void {
    const { viewport } = this.#options;
    const { fromUnixMs, toUnixMs } = viewport.shown;
    this.#plot.setScale('x', { min: fromUnixMs, max: toUnixMs });
    const { chosen } = viewport;
    const left = chosen === null ? 0 : this.#plot.valToPos(chosen.fromUnixMs, 'x');
    const right = chosen === null ? 0 : this.#plot.valToPos(chosen.toUnixMs, 'x');
    const height = chosen === null ? 0 : this.#plot.over.clientHeight;
    this.#plot.setSelect({ left, width: right - left, top: 0, height }, false);
  }

  #fit(body: HTMLElement): void {
    const width = Math.floor(body.clientWidth);
    if (width > 0) this.#plot.setSize({ width, height: this.#options.height ?? 240 });
  }

  #onKey(event: KeyboardEvent): void {
    const { viewport } = this.#options;
    const actions: Record<string, () => void> = {
      ArrowLeft: () => viewport.pan(-0.2),
      ArrowRight: () => viewport.pan(0.2),
      '+': () => viewport.zoom(0.5),
      '-': () => viewport.zoom(2),
      Home: () => viewport.showWhole(),
      Escape: () => viewport.choose(null),
    };
    const action = event.target === this.element ? actions[event.key] : undefined;
    if (action === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action();
  }

  // A wheel alone scrolls the page; with Ctrl it is zoom, sideways it pans.
  #onWheel(event: WheelEvent): void {
    const { viewport } = this.#options;
    if (event.ctrlKey) {
      event.preventDefault();
      const { left } = this.#plot.over.getBoundingClientRect();
      viewport.zoom(event.deltaY < 0 ? 0.8 : 1.25, this.#plot.posToVal(event.clientX - left, 'x'));
    } else if (event.deltaX !== 0 || event.shiftKey) {
      event.preventDefault();
      viewport.pan((event.deltaX || event.deltaY) / 1_000);
    }
  }

  #plotOptions(): uPlot.Options {
    const { lines, bands = [], viewport, backdrop, elapsedFromUnixMs } = this.#options;
    const format = (value: number | null) => this.#format(value);
    return {
      width: 600,
      height: this.#options.height ?? 240,
      ms: 1,
      tzDate: (time) =>
        shownZone() === 'utc' ? uPlot.tzDate(new Date(time), 'Etc/UTC') : new Date(time),
      cursor: { drag: { x: true, y: false, setScale: false }, sync: { key: 'headroom' } },
      legend: { live: true },
      scales: {
        x: { time: elapsedFromUnixMs === undefined, auto: false },
        y: { range: (_plot, _least, largest) => [0, this.#top(largest)] },
      },
      axes: [
        {
          stroke: inkColor,
          grid: { stroke: gridColor, width: 1 },
          values: (_plot, splits, _axis, _space, step) =>
            splits.map((at, place) =>
              elapsedFromUnixMs === undefined
                ? axisTime(at, { step, isFirst: place === 0 })
                : elapsed(at - elapsedFromUnixMs),
            ),
        },
        {
          stroke: inkColor,
          grid: { stroke: gridColor, width: 1 },
          size: 78,
          ...(this.#options.unit === 'bytes' ? { incrs: powersOfTwo } : {}),
          values: (_plot, splits) => splits.map(format),
        },
      ],
      series: [
        { label: 'time', value: (_plot, time) => (time === null ? '' : formatTime(time)) },
        ...lines.map((line, place) => this.#series(line, place)),
      ],
      bands: bands.map(({ between: [upper, lower], fill }) => ({
        series: [upper + 1, lower + 1],
        fill: () => fill(),
      })),
      hooks: {
        ...(backdrop === undefined ? {} : { drawClear: [backdrop] }),
        setSelect: [
          (plot) => {
            if (plot.select.width < 2) return;
            const { left, width } = plot.select;
            viewport.choose({
              fromUnixMs: Math.round(plot.posToVal(left, 'x')),
              toUnixMs: Math.round(plot.posToVal(left + width, 'x')),
            });
          },
        ],
      },
    };
  }

  #series(line: ChartLine, place: number): uPlot.Series {
    const { shownValue } = this.#options;
    const { fill } = line;
    return {
      label: line.label,
      stroke: () => line.color(),
      width: line.width ?? 1.5,
      points: { show: false },
      ...(line.dash === undefined ? {} : { dash: line.dash }),
      ...(fill === undefined ? {} : { fill: () => fill() }),
      value: (_plot, value, _series, at) =>
        this.#format(shownValue === undefined || at === null ? value : shownValue(place, at)),
    };
  }

  #top(largest: number | null): number {
    const most = largest ?? 0;
    const top = this.#options.top?.(most) ?? most * 1.05;
    return top > 0 ? top : 1;
  }

  #format(value: number | null): string {
    if (value === null || value === undefined) return '';
    return this.#options.unit === 'bytes' ? formatBytes(value) : formatRatio(value);
  }

  /** Made when it is opened: what is seen, at most so many lines of it. */
  #tableElement(): HTMLElement {
    const details = element('details', {}, [element('summary', {}, ['Data as a table'])]);
    details.addEventListener('toggle', () => {
      details.querySelector('table')?.remove();
      if (details.open) details.append(this.#table());
    });
    return details;
  }

  #table(): HTMLElement {
    const { lines, viewport, title, shownValue, unit } = this.#options;
    const [times = [], ...columns] = this.#data;
    const isHole = (at: number) => columns.every((column) => (column[at] ?? null) === null);
    const rows = rowsOf(times as number[], viewport.shown, isHole);
    const cell = (line: number, at: number) => {
      const value = shownValue?.(line, at) ?? columns[line]?.[at] ?? null;
      const text = value === null ? 'unknown' : this.#format(value);
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
}

const mostRows = 60;
const powersOfTwo = Array.from({ length: 40 }, (_, at) => 2 ** (at + 8));

/** Which points a table of the window shows: some of them, and the holes between them. */
function rowsOf(
  times: readonly number[],
  { fromUnixMs, toUnixMs }: Range,
  isHole: (at: number) => boolean,
): number[] {
  const shown = times.flatMap((time, at) => (time >= fromUnixMs && time <= toUnixMs ? [at] : []));
  const step = Math.max(1, Math.ceil(shown.length / mostRows));
  return shown.filter((at, place) => place % step === 0 || isHole(at)).slice(0, 4 * mostRows);
}

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
