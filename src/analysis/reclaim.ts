import type { TickTracker } from './tick-tracker.ts';

/** How hard the kernel had to look for memory. Of the whole machine; null: not known here. */
export interface ReclaimReport {
  /** File pages read back that had been thrown out before. */
  refaultCount: number | null;
  /** The most of it in a second, between two samples at least a second apart. */
  refaultsPerSecondMax: number | null;
  /** Times at which a task had to free memory itself before it got any. */
  directReclaimCount: number | null;
  /** Taken back from caches and swap. */
  reclaimedBytes: number | null;
}

const shortestMs = 900;
const counters = ['refaultFileCount', 'directReclaimCount', 'reclaimedBytes'] as const;

/** Adds up the counters between neighbouring ticks; one that went back is a new start. */
export function trackReclaim(): TickTracker<ReclaimReport> {
  const sums = new Map<(typeof counters)[number], number>();
  const last = new Map<(typeof counters)[number], number>();
  let since: { monotonicMs: number; count: number } | null = null;
  let perSecondMax: number | null = null;
  return {
    add({ activity, monotonicMs }) {
      for (const counter of counters) {
        const value = activity[counter];
        const before = last.get(counter);
        if (value === null) continue;
        last.set(counter, value);
        sums.set(counter, (sums.get(counter) ?? 0) + Math.max(0, value - (before ?? value)));
      }
      const count = activity.refaultFileCount;
      if (count === null) return;
      const elapsedMs = monotonicMs - (since?.monotonicMs ?? monotonicMs);
      if (since !== null && elapsedMs >= 0 && elapsedMs < shortestMs) return;
      if (since !== null && elapsedMs > 0 && count >= since.count) {
        const perSecond = Math.round((1000 * (count - since.count)) / elapsedMs);
        perSecondMax = Math.max(perSecondMax ?? 0, perSecond);
      }
      since = { monotonicMs, count };
    },
    beginAnew() {
      last.clear();
      since = null;
    },
    result: () => ({
      refaultCount: sums.get('refaultFileCount') ?? null,
      refaultsPerSecondMax: perSecondMax,
      directReclaimCount: sums.get('directReclaimCount') ?? null,
      reclaimedBytes: sums.get('reclaimedBytes') ?? null,
    }),
  };
}
