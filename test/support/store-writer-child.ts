/**
 * Records a synthetic session into the file that is its argument, as fast as it can or with a pause
 * of so many ms after each sample, and says on standard output which samples are written; it is
 * there to be killed.
 */
import { writeSync } from 'node:fs';
import { StoreWriter } from '../../src/store/writer.ts';
import { syntheticFacts, syntheticSamples } from './synthetic-session.ts';

const pauseMs = Number(process.argv[3] ?? 0);
const neverSet = new Int32Array(new SharedArrayBuffer(4));
const writer = StoreWriter.open(process.argv[2] ?? '', syntheticFacts());
for (const sample of syntheticSamples({ tickCount: 100_000, processCount: 20 })) {
  const { outcome } = writer.writeSample(sample, []);
  if (outcome === 'written') writeSync(1, `${sample.sequence}\n`);
  if (pauseMs > 0) Atomics.wait(neverSet, 0, 0, pauseMs);
}
