/**
 * Records a synthetic session as fast as it can, or with pauses, and says on standard output after each sample what
 * is in the file; it is there to be killed. See recorder-process.ts.
 */
import { writeSync } from 'node:fs';
import { errnoOf } from '../../src/model/errors.ts';
import { StoreWriter } from '../../src/store/writer.ts';
import type { RecorderWork } from './recorder-process.ts';
import { syntheticEvents, syntheticFacts, syntheticSamples } from './synthetic-session.ts';

const [file = '', work = '{}'] = process.argv.slice(2);
const { seed, processCount, skippedTicks, tickCount, pauseMs = 0 }: RecorderWork = JSON.parse(work);
const neverSet = new Int32Array(new SharedArrayBuffer(4));

say('opening 0 -\n');
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
  if (pauseMs > 0) pause(pauseMs);
  lastUnixMs = sample.timeUnixMs;
}
tell('closing', { outcome: 'written' });
tell('closed', writer.close({ endedUnixMs: lastUnixMs, endReason: 'duration' }));

function tell(stage: string, result: ReturnType<StoreWriter['close']>): void {
  const reason = result.outcome === 'deferred' ? result.reason : '-';
  say(`${stage} ${writer.writtenCount} ${reason}\n`);
}

function say(line: string): void {
  for (let said = 0; said < line.length; ) {
    try {
      said += writeSync(1, line.slice(said));
    } catch (error) {
      // Nobody has read for a while.
      if (errnoOf(error) !== 'EAGAIN') throw error;
      pause(1);
    }
  }
}

function pause(ms: number): void {
  Atomics.wait(neverSet, 0, 0, ms);
}
