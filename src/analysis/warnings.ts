import { sessionLimit, type Tick } from '../model/session-memory.ts';
import type { OomKillReport } from './oom-kills.ts';
import type { StallReport } from './stall.ts';
import type { TickTracker } from './tick-tracker.ts';
import { unusedBytes } from './unused-memory.ts';

/** A stretch in which somebody who watched would have been warned. */
export interface WarningReport {
  fromUnixMs: number;
  toUnixMs: number;
  /** What gave the warning first. */
  reason: 'trend' | 'low';
  /** Not used when it began. */
  unusedBytes: number;
  limitBytes: number;
  /** Until the limit at the pace of that moment; null: it was low and did not grow. */
  secondsToLimit: number | null;
}

/** How long before a kill or a stall the warning that led to it began. */
export interface LeadReport {
  of: 'kernel_oom' | 'memory_stall';
  timeUnixMs: number;
  /** Null: there was no warning. */
  warnedUnixMs: number | null;
  leadMs: number | null;
}

// Measured on eleven kills and stalls and two benign runs: with samples a second apart, a line
// through 10 s and a limit in less than 30 s, 1.7 to 28 s of warning and no false one. Faster
// samples with a shorter line warn later or falsely.
const spacingMs = 900;
const windowMs = 10_000;
// Less than that at the start of a recording is a page that loads.
const shortestMs = 8_500;
const secondsAhead = 30;
const lowRatio = 0.1;
// A pause in a leak does not end the warning.
const pauseMs = 10_000;

interface Point {
  monotonicMs: number;
  bytes: number;
}

/**
 * Looks at every second of a recording as a watcher would have, with what was known then: a warning
 * is a straight line through the last 10 s of unused memory that meets zero in less than 30 s, or
 * less than a tenth of the limit left.
 */
export function trackWarnings(): TickTracker<WarningReport[]> {
  const warnings: WarningReport[] = [];
  let window: Point[] = [];
  return {
    add(tick) {
      const bytes = unusedBytes(tick);
      if (bytes === null) return;
      const last = window.at(-1)?.monotonicMs ?? Number.NEGATIVE_INFINITY;
      const { monotonicMs } = tick;
      if (monotonicMs < last) window = [];
      else if (monotonicMs - last < spacingMs) return;
      window.push({ monotonicMs, bytes });
      while (monotonicMs - (window[0]?.monotonicMs ?? monotonicMs) > windowMs) window.shift();
      const warning = warningAt(tick, bytes, window);
      if (warning !== null) extend(warnings, warning);
    },
    beginAnew() {
      window = [];
    },
    result: () => warnings,
  };
}

/** Of every kill in this session and every stall, how long before it could be known. */
export function leadTimes(
  warnings: readonly WarningReport[],
  kills: readonly OomKillReport[],
  stalls: readonly StallReport[],
): LeadReport[] {
  const ends: Pick<LeadReport, 'of' | 'timeUnixMs'>[] = [];
  for (const { inSession, timeUnixMs } of kills) {
    if (inSession && timeUnixMs !== null) ends.push({ of: 'kernel_oom', timeUnixMs });
  }
  for (const { fromUnixMs } of stalls) ends.push({ of: 'memory_stall', timeUnixMs: fromUnixMs });
  return ends
    .toSorted((a, b) => a.timeUnixMs - b.timeUnixMs)
    .map((end) => {
      const { timeUnixMs } = end;
      const warning = warnings.find(
        ({ fromUnixMs, toUnixMs }) => fromUnixMs <= timeUnixMs && timeUnixMs <= toUnixMs + pauseMs,
      );
      if (warning === undefined) return { ...end, warnedUnixMs: null, leadMs: null };
      const { fromUnixMs } = warning;
      return { ...end, warnedUnixMs: fromUnixMs, leadMs: timeUnixMs - fromUnixMs };
    });
}

function warningAt(tick: Tick, unused: number, window: readonly Point[]): WarningReport | null {
  const { bytes: limitBytes } = sessionLimit(tick);
  const seconds = secondsToZero(window);
  const isLow = unused < lowRatio * limitBytes;
  const isNear = seconds !== null && seconds < secondsAhead;
  if (!isLow && !isNear) return null;
  return {
    fromUnixMs: tick.timeUnixMs,
    toUnixMs: tick.timeUnixMs,
    reason: isNear ? 'trend' : 'low',
    unusedBytes: unused,
    limitBytes,
    secondsToLimit: seconds === null ? null : Math.round(seconds),
  };
}

/** By the least-squares line through the window; null: too short, or it does not shrink. */
function secondsToZero(window: readonly Point[]): number | null {
  const last = window.at(-1);
  const first = window[0];
  if (last === undefined || first === undefined) return null;
  if (last.monotonicMs - first.monotonicMs < shortestMs) return null;
  const seconds = window.map(({ monotonicMs }) => (monotonicMs - last.monotonicMs) / 1000);
  const meanX = mean(seconds);
  const meanY = mean(window.map(({ bytes }) => bytes));
  let products = 0;
  let squares = 0;
  window.forEach(({ bytes }, at) => {
    const x = (seconds[at] ?? 0) - meanX;
    products += x * (bytes - meanY);
    squares += x * x;
  });
  const slope = products / squares;
  return slope < 0 ? last.bytes / -slope : null;
}

function extend(warnings: WarningReport[], warning: WarningReport): void {
  const last = warnings.at(-1);
  const isSame =
    last !== undefined &&
    warning.fromUnixMs >= last.fromUnixMs &&
    warning.fromUnixMs <= last.toUnixMs + pauseMs;
  if (isSame) last.toUnixMs = warning.toUnixMs;
  else warnings.push(warning);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
