import type { Sample } from '../../src/model/sample.ts';
import { syntheticSamples } from '../support/synthetic-session.ts';

/** A synthetic session, and from which of its ticks on each run of a recorder wrote it. */
export interface Expected {
  seed: number;
  processCount: number;
  runs: readonly Run[];
}

export interface Run {
  /** Ticks of the session before the first that it was to write. */
  skippedTicks: number;
  /** Sequence number of the last tick in the file when it began. */
  sequenceBase: number;
}

/** What was to be written up to a tick, with the number that it got in the file. */
export function* expectedSamples(
  { seed, processCount, runs }: Expected,
  lastSequence: number,
): Generator<{ sequence: number; sample: Sample }> {
  const last = runs.at(-1) ?? { skippedTicks: 0, sequenceBase: 0 };
  const tickCount = last.skippedTicks + lastSequence - last.sequenceBase;
  for (const sample of syntheticSamples({ seed, processCount, tickCount })) {
    const at = runs.findLastIndex(({ skippedTicks }) => skippedTicks < sample.sequence);
    const run = runs[at];
    if (run === undefined) continue;
    const sequence = run.sequenceBase + sample.sequence - run.skippedTicks;
    // Of a run that was killed the rest is not there.
    if (sequence <= (runs[at + 1]?.sequenceBase ?? lastSequence)) yield { sequence, sample };
  }
}
