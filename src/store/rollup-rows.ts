import type { Series } from '../model/series.ts';
import type { Sketch } from '../model/sketch.ts';
import type { Database, Statement } from './driver.ts';
import { rollupKeyRange, type SpanMs, windowOf } from './rollup-key.ts';

/** What a row of `rollup` says of its distribution. */
export interface RollupRow {
  key: number;
  series: number;
  count: number;
  sampleCount: number;
  min: number;
  max: number;
  sum: number;
  sketch: Uint8Array;
}

const selectRow = `
  SELECT key, series, weight_ms AS count, sample_count AS sampleCount, min, max, sum, sketch
  FROM rollup`;

/** Finds rows of `rollup` by their series and window, without looking at any others. */
export class RollupRows {
  readonly #row: Statement;
  readonly #rows: Statement;
  readonly #next: Statement;
  readonly #series: Statement;

  constructor(db: Database) {
    this.#row = db.prepare(`${selectRow} WHERE key = ?`);
    this.#rows = db.prepare(`${selectRow} WHERE key >= ? AND key < ? ORDER BY key`);
    this.#next = db
      .prepare('SELECT key FROM rollup WHERE key >= ? AND key < ? ORDER BY key LIMIT 1')
      .pluck();
    this.#series = db.prepare('SELECT series FROM series WHERE scope = ? AND metric = ?').pluck();
  }

  /** The number of a series in this file; null when it has none yet. */
  numberOf({ scope, metric }: Series): number | null {
    return (this.#series.get(scope, metric) as number | undefined) ?? null;
  }

  one(key: number): RollupRow | undefined {
    return this.#row.get(key) as RollupRow | undefined;
  }

  /** All series of the windows that begin in this stretch of time, the end not being part of it. */
  between(spanMs: SpanMs, fromUnixMs: number, endUnixMs: number): Iterable<RollupRow> {
    const bounds = rollupKeyRange(spanMs, fromUnixMs, endUnixMs);
    return this.#rows.iterate(...bounds) as Iterable<RollupRow>;
  }

  /** The first window that begins in this stretch and has a row of any series; null for none. */
  firstWindow(spanMs: SpanMs, fromUnixMs: number, endUnixMs: number): number | null {
    const bounds = rollupKeyRange(spanMs, fromUnixMs, endUnixMs);
    const key = this.#next.get(...bounds) as number | undefined;
    return key === undefined ? null : windowOf(key).startUnixMs;
  }
}

/** Adds what a row stands for to a distribution. FILE_CORRUPT when its bytes are none. */
export function mergeRow(whole: Sketch, row: RollupRow): void {
  // In a damaged file it may be of another type, and no bytes at all are no sketch either.
  const { sketch } = row;
  whole.mergeEncoded(sketch instanceof Uint8Array ? sketch : new Uint8Array(), row);
}
