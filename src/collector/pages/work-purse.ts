// A hundredth of a core, less what is not counted.
const refillMsPerSecond = 8;
const mostMs = 300;
// All pages of a browser are new at first, and on a busy machine each takes 50 to 100 ms to find.
const firstMs = 1_000;

/**
 * How much CPU time looking for pages may take: a second to begin with, then a hundredth of a core; what
 * is not used is saved up, to 300 ms. It may be
 * overdrawn by one piece of work, which then is paid back.
 */
export class WorkPurse {
  readonly #monotonicMs: () => number;
  #leftMs = firstMs;
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
    const mostNowMs = Math.max(mostMs, this.#leftMs);
    this.#leftMs = Math.min(mostNowMs, this.#leftMs + Math.max(0, gainedMs));
    return this.#leftMs;
  }

  pay(ms: number): void {
    this.#leftMs -= ms;
  }
}
