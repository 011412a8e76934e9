import { expect } from 'vitest';
import type { RecordingEvent } from '../../src/model/event.ts';
import type { Sample } from '../../src/model/sample.ts';
import type { SessionFacts } from '../../src/model/session.ts';
import type { Tick } from '../../src/model/session-memory.ts';
import { StoreWriter, type StoreWriterOptions } from '../../src/store/writer.ts';
import { fakeFacts, startUnixMs } from './fake-sample.ts';

/** The facts of a session that was just begun. */
export const running: SessionFacts = fakeFacts({ endedUnixMs: null, endReason: null });
export const ended = { endedUnixMs: startUnixMs + 60_000, endReason: 'signal' } as const;

interface RecordOptions extends StoreWriterOptions {
  facts?: SessionFacts;
  /** What happened with the first sample. */
  events?: readonly RecordingEvent[];
}

/** Makes a whole recording, or goes on with one, and closes it. */
export function recordSamples(
  file: string,
  samples: Iterable<Sample>,
  options: RecordOptions = {},
): void {
  const writer = StoreWriter.open(file, options.facts ?? running, options);
  let events = options.events ?? [];
  for (const sample of samples) {
    expect(writer.writeSample(sample, events)).toEqual({ outcome: 'written' });
    events = [];
  }
  expect(writer.close(ended)).toEqual({ outcome: 'written' });
}

/** What of a sample is in its tick. */
export function tickOf({ processes: _, unreadable: __, ...tick }: Sample): Tick {
  return tick;
}
