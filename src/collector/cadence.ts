import type { Sample } from '../model/sample.ts';
import { availableBytes, sessionLimit } from '../model/session-memory.ts';
import { MemoryTrend } from './memory-trend.ts';

/** Why samples are taken faster than asked for. */
export type FastReason = 'trend' | 'growth' | 'pressure' | 'low';

export interface CadenceOptions {
  /** The interval that was asked for. */
  intervalMs: number;
  /** While it is getting serious. */
  fastIntervalMs: number;
}

type MemoryReading = Pick<Sample, 'machine' | 'cgroup'>;
type TimedMemory = MemoryReading & Pick<Sample, 'monotonicMs'>;

const trendSecondsToGo = 30;
// A step so large that, repeated, nothing is left soon.
const growthSecondsToGo = 5;
const growthOfLimit = 0.05;
const lowOfLimit = 0.1;
const stalledShare = 0.05;
const calmMs = 5_000;
// What a page can eat a second: where that is too much for one interval, memory is looked at in between.
const fastestBytesPerSecond = 500e6;
const peekEveryMs = 250;
// Fast sampling costs ten times as much: it is bought from a purse that fills in quiet times.
const purseMs = 120_000;
const purseFillShare = 0.1;

/**
 * Decides when the next sample is due: at the interval that was asked for, or ten times a second
 * while memory runs out, until that has passed for a while. The purse bounds what it may cost when
 * a session lives at its limit for hours.
 */
export class Cadence {
  readonly #options: CadenceOptions;
  readonly #trend = new MemoryTrend();
  #before: Sample | null = null;
  /** Looks are compared with it: the last sample, or a later look that found more available. */
  #lookedFrom: TimedMemory | null = null;
  #alarmedMonotonicMs: number | null = null;
  #leftMs = purseMs;
  #reason: FastReason | null = null;
  #isPurseEmpty = false;

  constructor(options: CadenceOptions) {
    this.#options = options;
  }

  /** Why it is fast now; null while it is not. */
  get reason(): FastReason | null {
    return this.#reason;
  }

  /** Takes a sample into account and gives the distance to the next one, ms. */
  next(sample: Sample): number {
    const { intervalMs, fastIntervalMs } = this.#options;
    const before = this.#before;
    this.#before = sample;
    this.#lookedFrom = sample;
    const elapsedMs = before === null ? 0 : sample.monotonicMs - before.monotonicMs;
    const alarm = this.#alarm(before, sample);
    if (alarm !== null) this.#alarmedMonotonicMs = sample.monotonicMs;
    const wasFast = this.#reason !== null;
    const isRecent =
      this.#alarmedMonotonicMs !== null && sample.monotonicMs - this.#alarmedMonotonicMs < calmMs;
    this.#leftMs = Math.min(purseMs, this.#leftMs + elapsedMs * (wasFast ? -1 : purseFillShare));
    // Once empty, the purse must fill for a while before it is opened again.
    const canPay = wasFast ? this.#leftMs > 0 : this.#leftMs > purseMs * purseFillShare;
    this.#reason = isRecent && canPay ? (alarm ?? this.#reason) : null;
    this.#isPurseEmpty = isRecent && !canPay;
    return this.#reason === null ? intervalMs : Math.min(intervalMs, fastIntervalMs);
  }

  /** How often to look at memory alone before the next sample is due; null: not at all. */
  peekEveryMs(): number | null {
    const { intervalMs, fastIntervalMs } = this.#options;
    if (this.#before === null || this.#reason !== null) return null;
    // A look is cheap: where samples cannot be afforded, it still finds the moment that needs one.
    const everyMs = this.#isPurseEmpty ? fastIntervalMs : peekEveryMs;
    const available = availableBytes(this.#before);
    const reachBytes = (2 * fastestBytesPerSecond * intervalMs) / 1000;
    const isInReach = available !== null && available < reachBytes;
    return isInReach && everyMs < intervalMs ? everyMs : null;
  }

  /** Whether a look at memory is reason enough for a sample at once. */
  isAlarming(memory: MemoryReading, monotonicMs: number): boolean {
    const before = this.#lookedFrom;
    if (before === null) return false;
    const look = { ...memory, monotonicMs };
    if (isGrowing(before, look, sessionLimit(memory).bytes)) return true;
    // Memory came back, perhaps by a kill: from here on it falls anew.
    if ((availableBytes(look) ?? 0) > (availableBytes(before) ?? 0)) this.#lookedFrom = look;
    return false;
  }

  #alarm(before: Sample | null, sample: Sample): FastReason | null {
    const available = availableBytes(sample);
    if (available === null) return null;
    const limitBytes = sessionLimit(sample).bytes;
    this.#trend.add({ monotonicMs: sample.monotonicMs, availableBytes: available, limitBytes });
    if (this.#trend.secondsToGo() < trendSecondsToGo) return 'trend';
    if (before !== null && isGrowing(before, sample, limitBytes)) return 'growth';
    if (before !== null && memoryStallShare(before, sample) > stalledShare) return 'pressure';
    return available < limitBytes * lowOfLimit ? 'low' : null;
  }
}

// A large part of the limit went since the sample before, and at that pace it is soon gone.
function isGrowing(before: TimedMemory, sample: TimedMemory, limitBytes: number): boolean {
  const was = availableBytes(before);
  const is = availableBytes(sample);
  const seconds = (sample.monotonicMs - before.monotonicMs) / 1000;
  if (sessionLimit(before).bytes !== limitBytes) return false;
  if (was === null || is === null || seconds <= 0) return false;
  const goneBytes = was - is;
  return goneBytes > limitBytes * growthOfLimit && is / (goneBytes / seconds) < growthSecondsToGo;
}

function memoryStallShare(before: Sample, sample: Sample): number {
  // With another limit the waiting may be that of another cgroup, counted from another beginning.
  if (sessionLimit(before).bytes !== sessionLimit(sample).bytes) return 0;
  const was = before.pressure.memorySomeMs;
  const is = sample.pressure.memorySomeMs;
  const elapsedMs = sample.monotonicMs - before.monotonicMs;
  return was === null || is === null || elapsedMs <= 0 ? 0 : (is - was) / elapsedMs;
}
