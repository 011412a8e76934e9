import type { Gap } from './event.ts';

export interface ClockReading {
  timeUnixMs: number;
  monotonicMs: number;
  /** How long the machine has slept since boot; absent or null where that is not known. */
  suspendedMs?: number | null;
}

/**
 * The longest a sample stands for what follows it: two intervals and half a second of lateness.
 * Beyond that the recording does not know what happened.
 */
export function gapThresholdMs(intervalMs: number): number {
  return 2 * intervalMs + 500;
}

/**
 * Compares the clocks over the distance between two samples. Wall time ahead of monotonic time is
 * sleep (standby) where the kernel counted it as such, and where nobody can tell; else the clock was
 * set, by a person or after a pause of the whole virtual machine, of which its kernel knows nothing.
 * Monotonic time ahead of the schedule is a stall; monotonic time going back is a restored snapshot
 * or another boot. Null when nothing is missing.
 */
export function gapBetween(
  before: ClockReading,
  after: ClockReading,
  intervalMs: number,
): Gap | null {
  const wallMs = after.timeUnixMs - before.timeUnixMs;
  const monotonicMs = after.monotonicMs - before.monotonicMs;
  const kind = gapKind({ wallMs, monotonicMs, suspendedMs: slept(before, after) }, intervalMs);
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

function slept(before: ClockReading, after: ClockReading): number | null {
  if (before.suspendedMs == null || after.suspendedMs == null) return null;
  return after.suspendedMs - before.suspendedMs;
}

interface Distance {
  wallMs: number;
  monotonicMs: number;
  suspendedMs: number | null;
}

function gapKind({ wallMs, monotonicMs, suspendedMs }: Distance, intervalMs: number) {
  const thresholdMs = gapThresholdMs(intervalMs);
  if (monotonicMs < 0) return 'restart';
  const aheadMs = wallMs - monotonicMs;
  if (aheadMs > thresholdMs) {
    return suspendedMs !== null && suspendedMs < aheadMs / 2 ? 'clock_step' : 'standby';
  }
  if (aheadMs < -thresholdMs) return 'clock_step';
  return monotonicMs > thresholdMs ? 'stall' : null;
}

// By how much two clocks drift apart while a recorder is away.
const driftMs = 2_500;

/**
 * Whether the machine was booted in a gap, or a snapshot restored, and the kernel's counters began anew;
 * a recorder that was only started again finds both clocks as far ahead.
 */
export function isAnotherBoot({ gap, wallMs, monotonicMs }: Gap): boolean {
  return gap === 'restart' && (monotonicMs < 0 || Math.abs(wallMs - monotonicMs) > driftMs);
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
