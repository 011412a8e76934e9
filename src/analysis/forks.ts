import type { ProcessReport } from './processes.ts';
import type { TickTracker } from './tick-tracker.ts';

/**
 * How much came into being, and how much of that a sample has seen. The kernel counts processes and
 * threads as one, on the whole machine: what is unseen lived for less than the distance of two
 * samples, or is a thread of the kernel, or of another container.
 */
export interface ForkReport {
  /** By the fork counter of /proc/stat, between the first and the last sample. */
  createdCount: number;
  /** New processes that were sampled, and threads that processes had more than before. */
  seenCount: number;
  unseenCount: number;
}

/** Adds up the fork counter; null where the kernel does not tell it. */
export function trackForks(): TickTracker<number | null> {
  let before: number | null = null;
  let created: number | null = null;
  return {
    add({ activity: { forkCount } }) {
      // Another boot, or a snapshot, counts from another beginning.
      if (forkCount !== null && before !== null) {
        created = (created ?? 0) + Math.max(0, forkCount - before);
      }
      before = forkCount;
    },
    beginAnew() {
      before = null;
    },
    result: () => created,
  };
}

/** Compares what was created with the processes of the same range; null when that is not known. */
export function forkReport(
  createdCount: number | null,
  processes: readonly ProcessReport[],
  { firstUnixMs, bootUnixMs }: { firstUnixMs: number | null; bootUnixMs: ReadonlySet<number> },
): ForkReport | null {
  if (createdCount === null || firstUnixMs === null) return null;
  // What the first sample of a boot finds was not created between two samples.
  const isFound = (unixMs: number) => unixMs <= firstUnixMs || bootUnixMs.has(unixMs);
  const seen = processes.reduce((sum, one) => sum + createdBy(one, isFound(one.firstUnixMs)), 0);
  const seenCount = Math.min(createdCount, seen);
  return { createdCount, seenCount, unseenCount: createdCount - seenCount };
}

function createdBy(process: ProcessReport, isFound: boolean): number {
  const { threadsFirst, threadsMax } = process;
  const grown = (threadsMax ?? 1) - (threadsFirst ?? 1);
  return isFound ? grown : (threadsFirst ?? 1) + grown;
}
