import { StoreWriter } from '../../src/store/writer.ts';
import { syntheticFacts, syntheticSamples } from '../../test/support/synthetic-session.ts';

/** A synthetic recording of so many hours, with 60 processes; at 1 s, unless another interval is given. */
export function recordHours(file: string, hours: number, intervalMs = 1000): void {
  const writer = StoreWriter.open(file, { ...syntheticFacts(), intervalMs });
  let endedUnixMs = 0;
  for (const sample of syntheticSamples({
    tickCount: (hours * 3_600_000) / intervalMs,
    intervalMs,
  })) {
    writer.writeSample(sample, []);
    endedUnixMs = sample.timeUnixMs;
  }
  writer.close({ endedUnixMs, endReason: 'duration' });
}
