import { Sketch } from '../model/sketch.ts';
import type { Database, Statement } from './driver.ts';
import { type MinuteRollup, rollupSpanMs, type SeriesRollup } from './minute-rollup.ts';

interface ExistingRollup {
  sample_count: number;
  sketch: Uint8Array;
}

/** Writes closed minutes into `rollup`. */
export class RollupWriter {
  readonly #find: Statement;
  readonly #upsert: Statement;
  readonly #advance: Statement;

  constructor(db: Database) {
    this.#find = db.prepare(
      `SELECT sample_count, sketch FROM rollup
       WHERE span_ms = ${rollupSpanMs} AND start_unix_ms = ? AND scope = ? AND metric = ?`,
    );
    this.#upsert = db.prepare(
      `INSERT OR REPLACE INTO rollup (span_ms, start_unix_ms, scope, metric, weight_ms, sample_count,
         min, max, sum, p50, p90, p95, p99, sketch)
       VALUES (${rollupSpanMs}, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#advance = db.prepare('UPDATE session SET rolled_up_sequence = ?');
  }

  /** Within the transaction of a tick; `throughSequence` is the last tick that the minute has. */
  write(minute: MinuteRollup, throughSequence: number): void {
    const { startUnixMs } = minute;
    if (startUnixMs === null) return;
    for (const rollup of minute.series()) this.#writeSeries(rollup, startUnixMs);
    this.#advance.run(throughSequence);
  }

  #writeSeries({ series, sketch, sampleCount }: SeriesRollup, startUnixMs: number): void {
    const { scope, metric } = series;
    // The clock went back, or an earlier run ended within this minute.
    const before = this.#find.get(startUnixMs, scope, metric) as ExistingRollup | undefined;
    // The sketch itself stays as it is: the transaction may fail and be tried again.
    const whole = before === undefined ? sketch : Sketch.decode(before.sketch);
    if (before !== undefined) whole.merge(sketch);
    this.#upsert.run(
      startUnixMs,
      scope,
      metric,
      whole.count,
      sampleCount + (before?.sample_count ?? 0),
      whole.min,
      whole.max,
      whole.sum,
      ...[0.5, 0.9, 0.95, 0.99].map((q) => {
        const value = whole.quantile(q) ?? 0;
        // Everything else is a whole number of bytes or processes.
        return metric === 'utilization' ? value : Math.round(value);
      }),
      whole.encode(),
    );
  }
}
