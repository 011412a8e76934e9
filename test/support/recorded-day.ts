import type { ProcessRole } from '../../src/model/process-role.ts';
import type { Sample } from '../../src/model/sample.ts';
import type { Series } from '../../src/model/series.ts';
import { StoreWriter } from '../../src/store/writer.ts';
import { exactPercentile, type Weighted } from './exact-percentile.ts';
import { syntheticFacts, syntheticSamples } from './synthetic-session.ts';

export interface DayOptions {
  hours?: number;
  intervalMs: number;
  processCount: number;
}

/** A series with every value that went into it, for percentiles that no sketch has seen. */
export interface ExactSeries {
  series: Series;
  /** The value at a quantile, by time: the least one that at least so much of the time was below. */
  quantile(q: number): number;
}

export interface RecordedDay {
  tickCount: number;
  endUnixMs: number;
  exact: ExactSeries[];
  /** CPU time of all writes, µs; the making of the samples is not in it. */
  writeCpuUs: number;
}

/** Records a whole day on a virtual clock, and keeps what its percentiles have to be. */
export function recordDay(file: string, options: DayOptions): RecordedDay {
  const { hours = 24, intervalMs, processCount } = options;
  const tickCount = (hours * 3_600_000) / intervalMs;
  const writer = StoreWriter.open(file, syntheticFacts({ intervalMs }));
  const kept = figures.map(({ series, of }) => ({ series, of, values: [] as Weighted[] }));
  let before: Sample | null = null;
  let writeCpuUs = 0;
  for (const sample of syntheticSamples({
    tickCount,
    processCount,
    intervalMs,
    memoryBytes,
  })) {
    const start = process.cpuUsage();
    writer.writeSample(sample, []);
    const { user, system } = process.cpuUsage(start);
    writeCpuUs += user + system;
    // A tick stands for the time since the one before.
    const weight = before === null ? intervalMs : sample.monotonicMs - before.monotonicMs;
    for (const { of, values } of kept) {
      const value = of(sample);
      if (value !== null) values.push({ value, weight });
    }
    before = sample;
  }
  const endUnixMs = before?.timeUnixMs ?? 0;
  writer.close({ endedUnixMs: endUnixMs, endReason: 'duration' });
  const exact = kept.map(({ series, values }) => ({
    series,
    quantile: (q: number) => exactPercentile(values, q),
  }));
  return { tickCount, endUnixMs, exact, writeCpuUs };
}

// Its pages grow to a dozen GiB in a day.
const memoryBytes = 32 * 2 ** 30;

/** By hand, from what the sample says; the cgroup of the session has the limit that binds. */
const figures: readonly { series: Series; of: (sample: Sample) => number | null }[] = [
  {
    series: { scope: 'session', metric: 'working_set' },
    of: ({ cgroup }) => (cgroup?.chargedBytes ?? Number.NaN) - (cgroup?.inactiveFileBytes ?? 0),
  },
  {
    series: { scope: 'session', metric: 'browser_pss' },
    of: ({ browser }) => browser.pssEstimatedBytes,
  },
  { series: { scope: 'renderer', metric: 'pss' }, of: (sample) => sumOf('renderer', sample) },
  { series: { scope: 'gpu', metric: 'pss' }, of: (sample) => sumOf('gpu', sample) },
];

function sumOf(role: ProcessRole, { processes }: Sample): number | null {
  let sum = 0;
  for (const process of processes) {
    if (process.role !== role) continue;
    if (process.pssEstimatedBytes === null) return null;
    sum += process.pssEstimatedBytes;
  }
  return sum;
}
