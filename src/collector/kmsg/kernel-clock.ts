/** One moment on both clocks. */
export interface Now {
  /** CLOCK_MONOTONIC */
  monotonicMs: number;
  unixMs: number;
}

/**
 * Ties printk's clock to the wall clock.
 *
 * printk stamps records with local_clock(), which like CLOCK_MONOTONIC stands still in suspend
 * (dmesg(1)), but is not corrected by NTP: 1.4 ms apart after 17 minutes of Linux 6.18 on
 * kvm-clock, and it may be seconds after weeks. So what is logged while we read is placed no
 * earlier than the last time the log was read to its end. What is older is placed by the two clocks
 * alone: too late by the length of every suspend since.
 */
export class KernelClock {
  readonly #startedMonotonicMs: number;
  #firstEndSequence: number | null = null;
  #end: { sequence: number; monotonicMs: number } | null = null;

  constructor(startedMonotonicMs: number) {
    this.#startedMonotonicMs = startedMonotonicMs;
  }

  /** The log has been read to its end, where `sequence` is its last record. */
  reachedEnd(sequence: number, monotonicMs: number): void {
    this.#firstEndSequence ??= sequence;
    this.#end = { sequence, monotonicMs };
  }

  /** When a record was written. `now` is both clocks at the call that read it. */
  place(record: { sequence: number; timeUs: number }, now: Now) {
    const kernelMs = record.timeUs / 1000;
    const end = this.#end;
    const isSinceEnd = end !== null && record.sequence > end.sequence;
    const earliestMs = isSinceEnd ? end.monotonicMs : Number.NEGATIVE_INFINITY;
    const atMs = Math.min(now.monotonicMs, Math.max(earliestMs, kernelMs));
    const wasThere = this.#firstEndSequence === null || record.sequence <= this.#firstEndSequence;
    return {
      timeUnixMs: now.unixMs - (now.monotonicMs - atMs),
      /** Older than the recording. */
      beforeStart: wasThere && kernelMs < this.#startedMonotonicMs,
    };
  }
}
