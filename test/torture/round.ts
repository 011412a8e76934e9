import type { RecorderState } from '../support/recorder-process.ts';

/** What one round of faults did to one file. */
export interface Round {
  /** With it the round can be repeated: it decides everything but the exact moments. */
  seed: number;
  killCount: number;
  /** Ticks that recorders said are in the file. */
  committedCount: number;
  /** Those of them that were not there afterwards. */
  lostCount: number;
  /** Ticks that were there in part, or otherwise than they were recorded. */
  partialCount: number;
  /** A file that did not open, damage, a recorder that could not go on; null when all was well. */
  problem: string | null;
}

export function isGood({ lostCount, partialCount, problem }: Round): boolean {
  return lostCount === 0 && partialCount === 0 && problem === null;
}

/** Null when it was killed, or had come to its end. */
export function endedByItself({ exitCode, stage }: RecorderState): string | null {
  if (exitCode === null || (exitCode === 0 && stage === 'closed')) return null;
  return `the recorder ended by itself, with exit code ${exitCode}, ${stage}`;
}
