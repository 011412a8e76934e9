import type { Recording } from '../../../model/recording.ts';
import type { Series } from '../../../model/series.ts';
import type { Sketch } from '../../../model/sketch.ts';
import type { TimeRange } from '../../../model/time-range.ts';
import { seriesUnit } from './series-unit.ts';
import { type ColumnOf, type Table, tableOf } from './table.ts';

interface Distribution {
  series: Series;
  sketch: Sketch;
}

const quantiles = { p50: 0.5, p90: 0.9, p95: 0.95, p99: 0.99 };

export const percentileTable: Table = tableOf<Distribution>({
  name: 'percentiles',
  help: 'the distribution of one figure over the whole recording, each sample weighted by its time',
  columns: [
    { name: 'scope', kind: 'text', read: ({ series }) => series.scope },
    { name: 'metric', kind: 'text', read: ({ series }) => series.metric },
    { name: 'unit', kind: 'text', read: ({ series }) => seriesUnit(series.metric) },
    { name: 'covered_ms', kind: 'integer', read: ({ sketch }) => sketch.count },
    { name: 'min', kind: 'real', read: ({ sketch }) => sketch.min },
    ...Object.entries(quantiles).map(
      ([name, q]): ColumnOf<Distribution> => ({
        name,
        kind: 'real',
        read: ({ sketch }) => sketch.quantile(q),
      }),
    ),
    { name: 'max', kind: 'real', read: ({ sketch }) => sketch.max },
    { name: 'mean', kind: 'real', read: ({ sketch }) => sketch.sum / sketch.count },
  ],
  records: distributions,
});

function* distributions(recording: Recording, range: TimeRange): Iterable<Distribution> {
  for (const series of recording.series()) {
    const sketch = recording.distribution(series, range);
    if (sketch !== null && sketch.count > 0) yield { series, sketch };
  }
}
