import type { Recording } from '../../model/recording.ts';
import type { Series } from '../../model/series.ts';
import { Sketch } from '../../model/sketch.ts';
import { exponentialOf } from '../histogram.ts';
import { exponentialMetrics } from '../metric-catalog.ts';
import { metricOf, scopeOf, type WindowSketch } from './rollup-points.ts';
import type { Point } from './session-points.ts';

/** From the start of the session to the time of the points. */
interface Span {
  startUnixMs: number;
  timeUnixMs: number;
}

/** Every distribution of a session as a cumulative exponential histogram, minute by minute. */
export class ExponentialPoints {
  readonly #identity: Readonly<Record<string, string>>;
  readonly #sketches = new Map<string, Sketch>();

  constructor(identity: Readonly<Record<string, string>>) {
    this.#identity = identity;
  }

  /** Goes past what was delivered before: everything earlier than this. */
  skipTo(recording: Recording, unixMs: number): void {
    for (const series of recording.series()) {
      const sketch = recording.distribution(series, { toUnixMs: unixMs - 1 });
      if (sketch !== null) this.#sketches.set(keyOf(series), sketch);
    }
  }

  /** With one more minute in them. */
  addMinute(minute: readonly WindowSketch[], span: Span): Point[] {
    const sums = minute.map(({ series, sketch }) => {
      const sum = this.#sketches.get(keyOf(series)) ?? new Sketch();
      this.#sketches.set(keyOf(series), sum);
      sum.merge(sketch);
      return { series, sketch: sum };
    });
    return this.pointsOf(sums, span);
  }

  /** Of the whole session, as it is read at its end. */
  pointsOf(sketches: readonly WindowSketch[], span: Span): Point[] {
    const points: Point[] = [];
    for (const { series, sketch } of sketches) {
      const metric = metricOf(series, exponentialMetrics);
      if (metric === undefined) continue;
      const attributes = { ...this.#identity, ...scopeOf(series) };
      points.push({ series: { metric, attributes }, ...span, value: exponentialOf(sketch) });
    }
    return points;
  }
}

function keyOf({ scope, metric }: Series): string {
  return `${scope} ${metric}`;
}
