import type { Recording } from '../../../model/recording.ts';
import type { Series } from '../../../model/series.ts';
import type { Sketch, SketchBuckets } from '../../../model/sketch.ts';
import type { TimeRange } from '../../../model/time-range.ts';
import { seriesUnit } from './series-unit.ts';
import { type Table, tableOf } from './table.ts';

interface HourOfSeries {
  startUnixMs: number;
  series: Series;
  sketch: Sketch;
  buckets: SketchBuckets;
}

/** Buckets as two lists of equal length, only those that are not empty: SQL unnests them as they are. */
export const sketchTable: Table = tableOf<HourOfSeries>({
  name: 'sketches',
  help: 'the distribution of one figure in one hour of the clock, to be merged',
  columns: [
    { name: 'time', kind: 'instant', read: ({ startUnixMs }) => startUnixMs },
    { name: 'scope', kind: 'text', read: ({ series }) => series.scope },
    { name: 'metric', kind: 'text', read: ({ series }) => series.metric },
    { name: 'unit', kind: 'text', read: ({ series }) => seriesUnit(series.metric) },
    { name: 'covered_ms', kind: 'integer', read: ({ sketch }) => sketch.count },
    { name: 'sum', kind: 'real', read: ({ sketch }) => sketch.sum },
    { name: 'min', kind: 'real', read: ({ sketch }) => sketch.min },
    { name: 'max', kind: 'real', read: ({ sketch }) => sketch.max },
    { name: 'scale', kind: 'integer', read: ({ buckets }) => buckets.scale },
    { name: 'zero_ms', kind: 'integer', read: ({ buckets }) => buckets.zeroCount },
    { name: 'bucket_index', kind: 'integers', read: ({ buckets }) => filledIndexes(buckets) },
    { name: 'bucket_ms', kind: 'integers', read: ({ buckets }) => buckets.counts.filter(isFilled) },
  ],
  records: hours,
});

const hourMs = 3_600_000;

function* hours(recording: Recording, range: TimeRange): Iterable<HourOfSeries> {
  for (const series of recording.series()) {
    for (const startUnixMs of hourStarts(recording, series, range)) {
      const sketch = recording.distribution(series, hourWithin(startUnixMs, range));
      if (sketch === null || sketch.count === 0) continue;
      yield { startUnixMs, series, sketch, buckets: sketch.buckets() };
    }
  }
}

/** Those that can have something; not all from first to last, as the clock may have leapt by years. */
function hourStarts(recording: Recording, series: Series, range: TimeRange): Iterable<number> {
  const closed = recording.windows(series, range).map((window) => window.startUnixMs);
  // What no closed window has: the open minute, and minutes that the range cuts.
  const loose = [recording.lastTick()?.timeUnixMs, range.fromUnixMs, range.toUnixMs];
  const { fromUnixMs = Number.NEGATIVE_INFINITY, toUnixMs = Number.POSITIVE_INFINITY } = range;
  const times = [...closed, ...loose]
    .filter((time) => time !== undefined)
    .filter((time) => time >= fromUnixMs && time <= toUnixMs);
  return new Set(times.map((time) => Math.floor(time / hourMs) * hourMs).toSorted((a, b) => a - b));
}

function hourWithin(startUnixMs: number, range: TimeRange): TimeRange {
  const { fromUnixMs = startUnixMs, toUnixMs = Number.POSITIVE_INFINITY } = range;
  return {
    fromUnixMs: Math.max(startUnixMs, fromUnixMs),
    toUnixMs: Math.min(startUnixMs + hourMs - 1, toUnixMs),
  };
}

function filledIndexes({ counts, offset }: SketchBuckets): number[] {
  return counts.flatMap((count, index) => (isFilled(count) ? [offset + index] : []));
}

function isFilled(count: number): boolean {
  return count > 0;
}
