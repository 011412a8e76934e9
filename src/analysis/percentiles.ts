import type { Recording } from '../model/recording.ts';
import type { Series } from '../model/series.ts';
import type { Sketch } from '../model/sketch.ts';
import type { TimeRange } from '../model/time-range.ts';

/** Nearest-rank percentiles, every sample weighted by the time it stands for; null: not recorded. */
export interface Percentiles {
  p50: number | null;
  p90: number | null;
  p95: number | null;
  p99: number | null;
  max: number | null;
}

/** The percentiles of one series, in the series' own unit. */
export function percentilesOf(recording: Recording, series: Series, range: TimeRange): Percentiles {
  const sketch = recording.distribution(series, range);
  return {
    p50: quantileOf(sketch, 0.5),
    p90: quantileOf(sketch, 0.9),
    p95: quantileOf(sketch, 0.95),
    p99: quantileOf(sketch, 0.99),
    max: sketch?.max ?? null,
  };
}

/**
 * Nearest rank over so many sessions: `measured` are those whose figure is known, lowest first, and the
 * others are above them all. Null: that is one of the others, or there is none.
 */
export function percentilesOverSessions(measured: readonly number[], count: number): Percentiles {
  const at = (share: number) => measured[Math.max(1, Math.ceil(share * count)) - 1] ?? null;
  return { p50: at(0.5), p90: at(0.9), p95: at(0.95), p99: at(0.99), max: at(1) };
}

/** A quantile in whole bytes: between its ends a sketch knows its values to 1.1 % only. */
export function quantileOf(sketch: Sketch | null, q: number): number | null {
  const value = sketch?.quantile(q) ?? null;
  return value === null ? null : Math.round(value);
}
