import type { Sketch, SketchBuckets } from '../model/sketch.ts';

/** The distribution of a figure over time: every count is in ms. */
export interface Histogram {
  kind: 'explicit';
  /** Upper ends of the buckets, inclusive; the last bucket has none. */
  bounds: readonly number[];
  counts: readonly number[];
  count: number;
  /** Of value × ms. */
  sum: number;
  min: number | null;
  max: number | null;
}

/** The same in base-2 exponential buckets. */
export interface ExponentialHistogram extends SketchBuckets {
  kind: 'exponential';
  count: number;
  sum: number;
  min: number | null;
  max: number | null;
}

/** Adds up a histogram with explicit bounds, from nothing. */
export class RunningHistogram {
  readonly #bounds: readonly number[];
  readonly #counts: number[];
  #count = 0;
  #sum = 0;
  #min = Number.POSITIVE_INFINITY;
  #max = Number.NEGATIVE_INFINITY;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = Array.from({ length: bounds.length + 1 }, () => 0);
  }

  /** A value that was so for this many ms. */
  add(value: number, weightMs: number): void {
    const above = this.#bounds.findIndex((bound) => value <= bound);
    const bucket = above === -1 ? this.#bounds.length : above;
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + weightMs;
    this.#count += weightMs;
    this.#sum += value * weightMs;
    this.#min = Math.min(this.#min, value);
    this.#max = Math.max(this.#max, value);
  }

  reading(): Histogram {
    const isEmpty = this.#count === 0;
    return {
      kind: 'explicit',
      bounds: this.#bounds,
      counts: [...this.#counts],
      count: this.#count,
      sum: this.#sum,
      min: isEmpty ? null : this.#min,
      max: isEmpty ? null : this.#max,
    };
  }
}

/** A sketch has the very buckets of OpenTelemetry's exponential histogram. */
export function exponentialOf(sketch: Sketch): ExponentialHistogram {
  const { count, sum, min, max } = sketch;
  return { kind: 'exponential', ...sketch.buckets(), count, sum, min, max };
}
