import type { Sample } from '../model/sample.ts';

// A flight recorder may cost this much of one core, fast mode included; then it slows down.
const mostCpuShare = 0.1;
const comfortableCpuShare = 0.04;
const windowMs = 10_000;
const slowest = 8;

/**
 * Watches what the collector itself costs and stretches the interval while that is too much: on a
 * machine with thousands of processes, or where every system call is dear.
 */
export class OwnBudget {
  #since: { monotonicMs: number; cpuMs: number } | null = null;
  #factor = 1;

  /** By how much the interval is to be stretched now: 1, 2, 4 or 8. */
  factor(sample: Sample): number {
    const { monotonicMs } = sample;
    const { cpuMs } = sample.collector;
    this.#since ??= { monotonicMs, cpuMs };
    const elapsedMs = monotonicMs - this.#since.monotonicMs;
    if (elapsedMs >= windowMs) {
      const share = (cpuMs - this.#since.cpuMs) / elapsedMs;
      if (share > mostCpuShare) this.#factor = Math.min(slowest, this.#factor * 2);
      if (share < comfortableCpuShare) this.#factor = Math.max(1, this.#factor / 2);
      this.#since = { monotonicMs, cpuMs };
    }
    return this.#factor;
  }
}
