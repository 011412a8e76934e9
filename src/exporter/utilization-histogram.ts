import { weightMs } from '../model/gap.ts';
import { type Tick, utilizationRatio } from '../model/session-memory.ts';
import { type Histogram, RunningHistogram } from './histogram.ts';

/** Narrow where it matters: near the limit. */
export const utilizationBounds: readonly number[] = [
  0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.925, 0.95, 0.975, 0.99, 1,
];

export const emptyUtilization = new RunningHistogram(utilizationBounds).reading();

/**
 * For how long the working set of a session was at which share of its limit. Percentiles of many
 * sessions cannot be made of the percentiles of each; of these histograms they can. Weighted as every
 * percentile is: near the limit there are more samples a second, and not more seconds.
 */
export class UtilizationHistogram {
  readonly #histogram = new RunningHistogram(utilizationBounds);
  #before: Tick | null = null;
  #isBegun = false;

  /** This tick is the first of which it is known: there is a histogram from now on. */
  isBegunBy(tick: Tick): boolean {
    return !this.#isBegun && utilizationRatio(tick) !== null;
  }

  /** The ticks of a recording, one after the other. */
  add(tick: Tick): void {
    const ratio = utilizationRatio(tick);
    const ms = weightMs(this.#before, tick, tick.intervalMs);
    this.#before = tick;
    if (ratio === null) return;
    this.#isBegun = true;
    this.#histogram.add(ratio, ms);
  }

  /** Null while it was never known. */
  reading(): Histogram | null {
    return this.#isBegun ? this.#histogram.reading() : null;
  }
}
