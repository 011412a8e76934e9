import { HeadroomError } from '../../model/errors.ts';
import type { Recording } from '../../model/recording.ts';
import { openRecording } from '../reader.ts';

export interface RecordingEnd {
  file: string;
  lastSequence: number;
  lastUnixMs: number;
}

/**
 * Whether of two recordings of one session neither is a part of the other: the longer one has another
 * sample where the shorter one ends. So it is after a snapshot that was restored twice. False where it
 * cannot be told: the longer one is gone, cannot be read, or has been thinned there.
 */
export function haveOtherSamples(a: RecordingEnd, b: RecordingEnd): boolean {
  const [shorter, longer] = a.lastSequence <= b.lastSequence ? [a, b] : [b, a];
  try {
    using recording = openRecording(longer.file);
    return isComplete(recording, shorter.lastSequence) && !hasSample(recording, shorter);
  } catch (error) {
    if (error instanceof HeadroomError) return false;
    throw error;
  }
}

function isComplete(recording: Recording, sequence: number): boolean {
  const ticks = recording.resolutions().find(({ resolution }) => resolution === 'ticks');
  return ticks !== undefined && ticks.firstSequence <= sequence;
}

function hasSample(recording: Recording, { lastSequence, lastUnixMs }: RecordingEnd): boolean {
  const at = { fromUnixMs: lastUnixMs, toUnixMs: lastUnixMs };
  for (const { sequence } of recording.briefTicks(at)) {
    if (sequence === lastSequence) return true;
  }
  return false;
}
