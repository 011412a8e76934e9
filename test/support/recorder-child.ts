/**
 * Records a synthetic session as fast as it can, or with pauses, and says on standard output after each sample what
 * is in the file; it is there to be killed. See recorder-process.ts.
 */
import { writeSync } from 'node:fs';
import { StoreWriter } from '../../src/store/writer.ts';
import type { RecorderWork } from './recorder-process.ts';
import { syntheticEvents, syntheticFacts, syntheticSamples } from './synthetic-session.ts';

const [file = '', work = '{}'] = process.argv.slice(2);
const { seed, processCount, skippedTicks, tickCount, pauseMs = 0 }: RecorderWork = JSON.parse(work);
const neverSet = new Int32Array(new SharedArrayBuffer(4));

writeSync(1, 'opening 0 -\n');
const writer = StoreWriter.open(file, syntheticFacts());
let lastUnixMs = 0;
for (const sample of syntheticSamples({
  seed,
  processCount,
  tickCount: skippedTicks + tickCount,
})) {
  if (sample.sequence <= skippedTicks) continue;
  const sequence = sample.sequence - skippedTicks;
  const result = writer.writeSample({ ...sample, sequence }, syntheticEvents(sample));
  tell('recording', result);
  if (pauseMs > 0) Atomics.wait(neverSet, 0, 0, pauseMs);
  lastUnixMs = sample.timeUnixMs;
}
tell('closing', { outcome: 'written' });
tell('closed', writer.close({ endedUnixMs: lastUnixMs, endReason: 'duration' }));

function tell(stage: string, result: ReturnType<StoreWriter['writeSample']>): void {
  const reason = result.outcome === 'deferred' ? result.reason : '-';
  writeSync(1, `${stage} ${writer.writtenCount} ${reason}\n`);
}
