/**
 * Records a synthetic session into the file that is its argument, as fast as it can, and says on
 * standard output which samples are written; it is there to be killed.
 */
import { writeSync } from 'node:fs';
import { StoreWriter } from '../../src/store/writer.ts';
import { syntheticFacts, syntheticSamples } from './synthetic-session.ts';

const writer = StoreWriter.open(process.argv[2] ?? '', syntheticFacts());
for (const sample of syntheticSamples({ tickCount: 100_000, processCount: 20 })) {
  const { outcome } = writer.writeSample(sample, []);
  if (outcome === 'written') writeSync(1, `${sample.sequence}\n`);
}
