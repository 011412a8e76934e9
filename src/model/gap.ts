import type { Gap, GapKind } from './event.ts';

export interface ClockReading {
  timeUnixMs: number;
  monotonicMs: number;
}

/**
 * The longest a sample stands for what follows it: two intervals and half a second of lateness.
 * Beyond that the recording does not know what happened.
 */
export function gapThresholdMs(intervalMs: number): number {
  return 2 * intervalMs + 500;
}

/**
 * Compares the two clocks over the distance between two samples. Wall time ahead of monotonic time
 * is sleep or a clock step (a sleep makes the tick late on the wall only); monotonic time ahead of
 * the schedule is a stall; monotonic time going back is a restored snapshot or another boot.
 * Null when nothing is missing.
 */
export function gapBetween(
  before: ClockReading,
  after: ClockReading,
  intervalMs: number,
): Gap | null {
  const wallMs = after.timeUnixMs - before.timeUnixMs;
  const monotonicMs = after.monotonicMs - before.monotonicMs;
  const kind = gapKind(wallMs, monotonicMs, gapThresholdMs(intervalMs));
  if (kind === null) return null;
  return {
    kind: 'gap',
    gap: kind,
    fromUnixMs: before.timeUnixMs,
    toUnixMs: after.timeUnixMs,
    timeUnixMs: after.timeUnixMs,
    wallMs,
    monotonicMs,
  };
}

function gapKind(wallMs: number, monotonicMs: number, thresholdMs: number): GapKind | null {
  if (monotonicMs < 0) return 'restart';
  const asleepMs = wallMs - monotonicMs;
  if (asleepMs > thresholdMs) return 'standby';
  if (asleepMs < -thresholdMs) return 'clock_step';
  if (monotonicMs > thresholdMs) return 'stall';
  return null;
}

/**
 * How long a sample stands for, in ms: the time since the one before, but never over a gap, and one
 * interval for the first. The weight of the sample in every percentile.
 */
export function weightMs(
  before: ClockReading | null,
  sample: ClockReading,
  intervalMs: number,
): number {
  if (before === null) return intervalMs;
  const distanceMs = sample.monotonicMs - before.monotonicMs;
  if (gapBetween(before, sample, intervalMs) !== null || distanceMs <= 0) return intervalMs;
  return Math.max(1, Math.round(distanceMs));
}
