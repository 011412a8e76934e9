import type { BriefTick } from '../model/session-memory.ts';
import type { TickTracker } from './tick-tracker.ts';

/** Time lost to waiting for memory, by the kernel's pressure stall information. */
export interface PressureReport {
  /** All tasks waited at once: the sum over the range. */
  memoryFullMs: number | null;
  /** At least one task waited. */
  memorySomeMs: number | null;
  /** The largest share of "full" over any {@link pressureWindowMs}; null: never seen that long. */
  memoryFullRatioMax: number | null;
  /** End of that stretch. */
  memoryFullMaxUnixMs: number | null;
  /** The time over which `memoryFullMs` is the sum; 0: one reading. Null: it could not be read. */
  coveredMs: number | null;
}

/**
 * A share of stall time needs a stretch to be a share of: over 10 s, as the kernel's own avg10, one
 * slow page fault between two samples does not count as pressure.
 */
export const pressureWindowMs = 10_000;

interface Reading {
  monotonicMs: number;
  fullMs: number;
}

/**
 * Sums the stall time between neighbouring ticks. The kernel goes on counting while the recorder
 * itself is stalled, so a stall is no hole in this; a clock or counter that went back is a new start.
 */
export function trackPressure(): TickTracker<PressureReport, BriefTick> {
  const report: PressureReport = {
    memoryFullMs: null,
    memorySomeMs: null,
    memoryFullRatioMax: null,
    memoryFullMaxUnixMs: null,
    coveredMs: null,
  };
  let window: Reading[] = [];
  let last: BriefTick | null = null;
  return {
    add(tick) {
      if (last !== null && isContinued(last, tick)) {
        report.memoryFullMs = sum(report.memoryFullMs, last, tick, 'memoryFullMs');
        report.memorySomeMs = sum(report.memorySomeMs, last, tick, 'memorySomeMs');
        if (last.pressure.memoryFullMs !== null && tick.pressure.memoryFullMs !== null) {
          report.coveredMs = (report.coveredMs ?? 0) + tick.monotonicMs - last.monotonicMs;
        }
      } else {
        window = [];
      }
      last = tick;
      const { memoryFullMs } = tick.pressure;
      if (memoryFullMs === null) return;
      report.coveredMs ??= 0;
      window.push({ monotonicMs: tick.monotonicMs, fullMs: memoryFullMs });
      const ratio = ratioOfWindow(window);
      if (ratio !== null && ratio > (report.memoryFullRatioMax ?? -1)) {
        report.memoryFullRatioMax = ratio;
        report.memoryFullMaxUnixMs = tick.timeUnixMs;
      }
    },
    beginAnew() {
      last = null;
    },
    result: () => report,
  };
}

function isContinued(before: BriefTick, after: BriefTick): boolean {
  if (after.monotonicMs < before.monotonicMs) return false;
  const from = before.pressure.memoryFullMs;
  const to = after.pressure.memoryFullMs;
  return from === null || to === null || to >= from;
}

function sum(
  total: number | null,
  before: BriefTick,
  after: BriefTick,
  field: 'memoryFullMs' | 'memorySomeMs',
): number | null {
  const from = before.pressure[field];
  const to = after.pressure[field];
  if (from === null || to === null) return total;
  return (total ?? 0) + Math.max(0, to - from);
}

// Keeps the shortest stretch that is at least as long as the window.
function ratioOfWindow(window: Reading[]): number | null {
  const end = window.at(-1);
  if (end === undefined) return null;
  while (end.monotonicMs - (window[1]?.monotonicMs ?? end.monotonicMs) >= pressureWindowMs) {
    window.shift();
  }
  const start = window[0] ?? end;
  const distanceMs = end.monotonicMs - start.monotonicMs;
  return distanceMs < pressureWindowMs ? null : (end.fullMs - start.fullMs) / distanceMs;
}
