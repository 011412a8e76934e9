import uPlot from 'uplot';
import { chartAxes, formatValue } from './chart-axes.ts';
import { chartTable } from './chart-table.ts';
import { onScheme } from './colors.ts';
import { element } from './dom.ts';
import { dragsWindow, startDrag } from './drag.ts';
import type { Meaning } from './kill-marks.ts';
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
  /** What the signs in it mean, those that there are. */
  meanings?: () => readonly Meaning[];
  /** Times on the axis are counted from here; default: they are times of day. */
  elapsedFromUnixMs?: number;
}

type Column = (number | null)[];

/** A picture of lines over time: with its keys, a table of the same numbers, and the shared window. */
export class Chart {
  readonly element: HTMLElement;
  readonly #options: ChartOptions;
  readonly #table = element('details', {}, [element('summary', {}, ['Data as a table'])]);
  readonly #body = element('div', { class: 'plot' });
  readonly #meanings = element('p', { class: 'meanings' });
  readonly #end: (() => void)[] = [];
  /** Null until there are data and a place to draw them in: so it is drawn once, and not three times. */
  #plot: uPlot | null = null;
  #width = 0;
  #data: uPlot.AlignedData | null = null;

  constructor(options: ChartOptions) {
    this.#options = options;
    const caption = element('figcaption', {}, [options.title]);
    this.#body.style.minHeight = `${this.#height}px`;
    this.element = element(
      'figure',
      {
        class: 'chart',
        tabindex: 0,
      },
      [caption, this.#body, this.#meanings, this.#table],
    );
    this.#fillMeanings();
    const sizes = new ResizeObserver(() => this.#fit(caption.clientWidth));
    // As wide as the plot, and not made higher by it.
    sizes.observe(caption);
    this.#end.push(
      () => sizes.disconnect(),
      onScheme(() => this.#plot?.redraw(false)),
      onZone(() => this.#plot?.redraw(false, true)),
    );
    this.#table.addEventListener('toggle', () => this.#fillTable());
    this.element.addEventListener('keydown', (event) => this.#onKey(event));
    // Before the chart, which would choose a window.
    this.#body.addEventListener('mousedown', (event) => this.#onPress(event), { capture: true });
    this.#body.addEventListener('wheel', (event) => this.#onWheel(event), { passive: false });
    options.viewport.onChange(() => this.#showWindow());
  }

  setData(timesUnixMs: readonly number[], columns: readonly Column[]): void {
    this.#data = [timesUnixMs as number[], ...columns] as uPlot.AlignedData;
    if (this.#plot === null) this.#draw();
    else {
      this.#plot.setData(this.#data, false);
      this.#showWindow();
    }
    this.#fillMeanings();
    this.#fillTable();
    // What a test, and a reader of the page, can ask for without looking.
    this.element.dataset['points'] = String(timesUnixMs.length);
  }

  /** What its signs mean is another now. */
  tellMeanings(): void {
    this.#fillMeanings();
    this.#plot?.redraw(false);
  }

  destroy(): void {
    for (const end of this.#end) end();
    this.#plot?.destroy();
  }

  get #height(): number {
    return this.#options.height ?? 240;
  }

  #draw(): void {
    if (this.#data === null || this.#width === 0) return;
    this.#plot = new uPlot(this.#plotOptions(), this.#data, this.#body);
    this.#tellWindow();
    if (this.#options.viewport.chosen !== null) this.#showWindow();
  }

  #showWindow(): void {
    if (this.#plot === null) return;
    const { viewport } = this.#options;
    const { fromUnixMs, toUnixMs } = viewport.shown;
    this.#plot.setScale('x', { min: fromUnixMs, max: toUnixMs });
    this.#tellWindow();
    const { chosen } = viewport;
    const left = chosen === null ? 0 : this.#plot.valToPos(chosen.fromUnixMs, 'x');
    const right = chosen === null ? 0 : this.#plot.valToPos(chosen.toUnixMs, 'x');
    const height = chosen === null ? 0 : this.#plot.over.clientHeight;
    this.#plot.setSelect({ left, width: right - left, top: 0, height }, false);
  }

  // As the number of points: what can be asked for without looking.
  #tellWindow(): void {
    const { fromUnixMs, toUnixMs } = this.#options.viewport.shown;
    this.element.dataset['from'] = String(Math.round(fromUnixMs));
    this.element.dataset['to'] = String(Math.round(toUnixMs));
  }

  #fit(width: number): void {
    if (width === 0 || width === this.#width) return;
    this.#width = width;
    if (this.#plot === null) this.#draw();
    else this.#plot.setSize({ width, height: this.#height });
  }

  #onKey(event: KeyboardEvent): void {
    const { viewport } = this.#options;
    const actions: Record<string, () => void> = {
      ArrowLeft: () => viewport.pan(-0.2),
      ArrowRight: () => viewport.pan(0.2),
      '+': () => viewport.zoom(0.5),
      '-': () => viewport.zoom(2),
      Home: () => viewport.showWhole(),
      Enter: () => viewport.choose({ ...viewport.shown }),
      Escape: () => viewport.choose(null),
    };
    const action = event.target === this.element ? actions[event.key] : undefined;
    if (action === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action();
  }

  #onPress(event: MouseEvent): void {
    const over = this.#plot?.over;
    if (over === undefined || event.target !== over || !dragsWindow(event)) return;
    event.stopPropagation();
    startDrag(event, over, this.#options.viewport);
  }

  // A wheel alone scrolls the page; with Ctrl it is zoom, sideways it pans.
  #onWheel(event: WheelEvent): void {
    const { viewport } = this.#options;
    if (event.ctrlKey) {
      event.preventDefault();
      viewport.zoom(event.deltaY < 0 ? 0.8 : 1.25, this.#timeAt(event.clientX));
    } else if (event.deltaX !== 0 || event.shiftKey) {
      event.preventDefault();
      viewport.pan((event.deltaX || event.deltaY) / 1_000);
    }
  }

  #timeAt(clientX: number): number | undefined {
    const left = this.#plot?.over.getBoundingClientRect().left ?? 0;
    return this.#plot?.posToVal(clientX - left, 'x');
  }

  #plotOptions(): uPlot.Options {
    const { lines, bands = [], viewport, backdrop, elapsedFromUnixMs } = this.#options;
    const { fromUnixMs: min, toUnixMs: max } = viewport.shown;
    return {
      width: this.#width,
      height: this.#height,
      ms: 1,
      tzDate: (time) =>
        shownZone() === 'utc' ? uPlot.tzDate(new Date(time), 'Etc/UTC') : new Date(time),
      cursor: {
        drag: { x: true, y: false, setScale: false },
        sync: { key: 'headroom' },
      },
      legend: { live: true },
      scales: {
        x: { time: elapsedFromUnixMs === undefined, auto: false, min, max },
        y: { range: (_plot, _least, largest) => [0, this.#top(largest)] },
      },
      axes: chartAxes(this.#options),
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
    const { shownValue, unit } = this.#options;
    const { fill } = line;
    return {
      label: line.label,
      stroke: () => line.color(),
      width: line.width ?? 1.5,
      points: { show: false },
      ...(line.dash === undefined ? {} : { dash: line.dash }),
      ...(fill === undefined ? {} : { fill: () => fill() }),
      value: (_plot, value, _series, at) =>
        formatValue(unit, shownValue === undefined || at === null ? value : shownValue(place, at)),
    };
  }

  #top(largest: number | null): number {
    const most = largest ?? 0;
    const top = this.#options.top?.(most) ?? most * 1.05;
    return top > 0 ? top : 1;
  }

  /** Below the picture, and in its name for who cannot see it. */
  #fillMeanings(): void {
    const { title, description, meanings = () => [] } = this.#options;
    const told = meanings();
    const words = told.map((meaning) => meaning.words).join(', ');
    const name = `${title}. ${description}${words === '' ? '' : ` In it: ${words}.`}`;
    if (this.element.getAttribute('aria-label') === name) return;
    this.element.setAttribute('aria-label', name);
    this.#meanings.hidden = told.length === 0;
    this.#meanings.replaceChildren(
      ...told.map(({ sign, words }) => element('span', {}, [`${sign} ${words}`])),
    );
  }

  /** While it is open: what is seen, at most so many lines of it. */
  #fillTable(): void {
    this.#table.querySelector('table')?.remove();
    if (this.#table.open) this.#table.append(chartTable(this.#options, this.#data ?? [[]]));
  }
}
