// A hundredth of a core, less what is not counted.
const refillMsPerSecond = 8;
const mostMs = 300;

/**
 * How much CPU time looking for pages may take: what is not used is saved up, to 300 ms. It may be
 * overdrawn by one piece of work, which then is paid back.
 */
export class WorkPurse {
  readonly #monotonicMs: () => number;
  #leftMs = mostMs;
  #filledMonotonicMs: number;

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs;
    this.#filledMonotonicMs = monotonicMs();
  }

  /** CPU time that may be spent now, ms. */
  leftMs(): number {
    const nowMs = this.#monotonicMs();
    const gainedMs = ((nowMs - this.#filledMonotonicMs) / 1_000) * refillMsPerSecond;
    this.#filledMonotonicMs = nowMs;
    this.#leftMs = Math.min(mostMs, this.#leftMs + Math.max(0, gainedMs));
    return this.#leftMs;
  }

  pay(ms: number): void {
    this.#leftMs -= ms;
  }
}
