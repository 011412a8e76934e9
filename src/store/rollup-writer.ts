import type { Series } from '../model/series.ts';
import { Sketch } from '../model/sketch.ts';
import type { Database, Statement } from './driver.ts';
import { replaceSql } from './insert-sql.ts';
import type { MinuteRollup } from './minute-rollup.ts';
import { hourMs, hourOf, minuteMs, rollupKey, rollupKeyRange, type SpanMs } from './rollup-key.ts';
import { mergeRow, RollupRows } from './rollup-rows.ts';

interface Distribution {
  sketch: Sketch;
  sampleCount: number;
}

/**
 * Writes closed minutes into `rollup`, and the hours that they make. All within the transaction of
 * a tick, and nothing is known by heart: it may fail and be tried again. An hour that has both rows
 * of minutes and its own is always the sum of its minutes; retention takes the minutes away.
 */
export class RollupWriter {
  readonly #rows: RollupRows;
  readonly #replace: Statement;
  readonly #deleteHour: Statement;
  readonly #insertSeries: Statement;
  readonly #advance: Statement;

  constructor(db: Database) {
    this.#rows = new RollupRows(db);
    this.#replace = db.prepare(replaceSql('rollup', columns));
    this.#deleteHour = db.prepare('DELETE FROM rollup WHERE key >= ? AND key < ?');
    this.#insertSeries = db.prepare(
      'INSERT INTO series (scope, metric) VALUES (?, ?) RETURNING series',
    );
    this.#advance = db.prepare('UPDATE session SET rolled_up_sequence = ?');
  }

  /** `throughSequence` is the last tick that the minute has. */
  writeMinute(minute: MinuteRollup, throughSequence: number): void {
    const { startUnixMs } = minute;
    if (startUnixMs === null) return;
    const window = this.#windowFor(startUnixMs);
    const found = [...minute.series()].map(({ series, ...distribution }) => ({
      key: rollupKey(window.spanMs, window.startUnixMs, this.#numberOf(series)),
      distribution,
    }));
    // In the order of the key, so that SQLite fills its pages.
    found.sort((a, b) => a.key - b.key);
    for (const { key, distribution } of found) {
      this.#write(key, this.#withBefore(key, distribution));
    }
    this.#advance.run(throughSequence);
  }

  /** Makes the rows of an hour out of those of its minutes, if there are any. */
  writeHour(hourUnixMs: number): void {
    const whole = new Map<number, Distribution>();
    for (const row of this.#rows.between(minuteMs, hourUnixMs, hourUnixMs + hourMs)) {
      let ofSeries = whole.get(row.series);
      if (ofSeries === undefined) {
        ofSeries = { sketch: new Sketch(), sampleCount: 0 };
        whole.set(row.series, ofSeries);
      }
      mergeRow(ofSeries.sketch, row);
      ofSeries.sampleCount += row.sampleCount;
    }
    for (const [series, distribution] of [...whole].sort(([a], [b]) => a - b)) {
      this.#write(rollupKey(hourMs, hourUnixMs, series), distribution);
    }
  }

  /**
   * The clock may have gone back to an hour that is closed. Where its minutes are still there it is
   * opened again; else all that is left of it is the hour itself.
   */
  #windowFor(minuteUnixMs: number): { spanMs: SpanMs; startUnixMs: number } {
    const minute = { spanMs: minuteMs, startUnixMs: minuteUnixMs } as const;
    const hour = { spanMs: hourMs, startUnixMs: hourOf(minuteUnixMs) } as const;
    const { startUnixMs } = hour;
    if (this.#rows.firstWindow(hourMs, startUnixMs, startUnixMs + hourMs) === null) return minute;
    if (this.#rows.firstWindow(minuteMs, startUnixMs, startUnixMs + hourMs) === null) return hour;
    this.#deleteHour.run(...rollupKeyRange(hourMs, startUnixMs, startUnixMs + hourMs));
    return minute;
  }

  #numberOf(series: Series): number {
    const known = this.#rows.numberOf(series);
    if (known !== null) return known;
    const row = this.#insertSeries.get(series.scope, series.metric) as { series: number };
    return row.series;
  }

  /** The clock went back, or an earlier run ended within this window. */
  #withBefore(key: number, { sketch, sampleCount }: Distribution): Distribution {
    const before = this.#rows.one(key);
    if (before === undefined) return { sketch, sampleCount };
    const whole = new Sketch();
    mergeRow(whole, before);
    whole.merge(sketch);
    return { sketch: whole, sampleCount: sampleCount + before.sampleCount };
  }

  #write(key: number, { sketch, sampleCount }: Distribution): void {
    const { count, sum, min, max } = sketch;
    // Bytes and processes are whole numbers, ratios are not.
    const isWhole = [sum, min, max].every(Number.isInteger);
    const quantiles = [0.5, 0.9, 0.95, 0.99].map((q) => {
      const value = sketch.quantile(q) ?? 0;
      return isWhole ? Math.round(value) : value;
    });
    this.#replace.run(key, count, sampleCount, min, max, sum, ...quantiles, sketch.encode());
  }
}

const columns = [
  'key',
  'weight_ms',
  'sample_count',
  'min',
  'max',
  'sum',
  'p50',
  'p90',
  'p95',
  'p99',
  'sketch',
];
