import { StoreWriter } from '../../src/store/writer.ts';
import { syntheticFacts, syntheticSamples } from '../../test/support/synthetic-session.ts';

/** A synthetic recording of so many hours, with 60 processes at 1 s. */
export function recordHours(file: string, hours: number): void {
  const writer = StoreWriter.open(file, syntheticFacts());
  let endedUnixMs = 0;
  for (const sample of syntheticSamples({ tickCount: hours * 3600 })) {
    writer.writeSample(sample, []);
    endedUnixMs = sample.timeUnixMs;
  }
  writer.close({ endedUnixMs, endReason: 'duration' });
}
