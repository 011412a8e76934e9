import type { BriefTick } from '../model/session-memory.ts';
import type { TickTracker } from './tick-tracker.ts';

/** How long the reading of a sample took, ms, by its time; only of those that took long. */
export type SlowReadings = ReadonlyMap<number, number>;

const slowMs = 1_000;

/**
 * On a machine that is out of memory a reading may take many seconds. It has the time of its
 * beginning, and what it says of processes may have come true after that.
 */
export function trackSlowReadings(): TickTracker<SlowReadings, BriefTick> {
  const slow = new Map<number, number>();
  return {
    add({ timeUnixMs, collector }) {
      const { readMs } = collector;
      if (readMs !== null && readMs > slowMs) slow.set(timeUnixMs, readMs);
    },
    result: () => slow,
  };
}
