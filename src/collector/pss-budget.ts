/** A process that could be read, and what is known about the worth and the cost of doing so. */
export interface PssCandidate {
  pid: number;
  rssBytes: number;
  anonBytes: number;
  /** Null when it was never read. */
  lastPss: { anonBytes: number; monotonicMs: number } | null;
}

/** Which processes to read `smaps_rollup` of in this tick, and who pays for it. */
export interface PssChoice {
  choose<T extends PssCandidate>(
    candidates: readonly T[],
    nowMonotonicMs: number,
    slowdown?: number,
  ): T[];
  pay(costMs: number): void;
}

export interface PssBudgetOptions {
  /** Share of one core that reading PSS may take, on average; 0 reads none. */
  cpuShare: number;
  /** Every process is read again within this time, as far as the share allows. */
  maxAgeMs: number;
}

// Measured: 14 to 17 µs for each MiB of RSS, and 0.3 ms for small ones.
const costMsPerByte = 0.016 / 2 ** 20;
const smallestCostMs = 0.3;
// What may be saved up while nothing was due; also the allowance of the very first ticks.
const savingsMs = 60;

/**
 * Decides which processes to read `smaps_rollup` of. It costs milliseconds and holds the target's
 * mmap lock, so it is paid from an allowance that grows with time: never-read processes first,
 * large before small, then those whose anonymous memory moved most or whose reading is oldest.
 */
export class PssBudget implements PssChoice {
  readonly #options: PssBudgetOptions;
  #savedMs: number;
  #lastMonotonicMs: number | null = null;

  constructor(options: PssBudgetOptions = { cpuShare: 0.01, maxAgeMs: 60_000 }) {
    this.#options = options;
    this.#savedMs = options.cpuShare === 0 ? 0 : savingsMs;
  }

  /**
   * The candidates worth reading now, best first, as many as the allowance is expected to pay. It
   * grows more slowly by `slowdown` while the machine has better things to do.
   */
  choose<T extends PssCandidate>(
    candidates: readonly T[],
    nowMonotonicMs: number,
    slowdown = 1,
  ): T[] {
    const elapsedMs = nowMonotonicMs - (this.#lastMonotonicMs ?? nowMonotonicMs);
    this.#lastMonotonicMs = nowMonotonicMs;
    const earnedMs = (Math.max(0, elapsedMs) * this.#options.cpuShare) / slowdown;
    this.#savedMs = Math.min(savingsMs, this.#savedMs + earnedMs);

    if (this.#savedMs <= 0) return [];
    const due: { candidate: T; worth: number }[] = [];
    candidates.forEach((candidate) => {
      const worth = this.#worth(candidate, nowMonotonicMs);
      if (worth > 0) due.push({ candidate, worth });
    });
    due.sort((a, b) => b.worth - a.worth);
    const chosen: T[] = [];
    let leftMs = this.#savedMs;
    for (const { candidate } of due) {
      if (leftMs <= 0) break;
      chosen.push(candidate);
      leftMs -= Math.max(smallestCostMs, candidate.rssBytes * costMsPerByte);
    }
    return chosen;
  }

  /** Takes what a reading really cost from the allowance; it may go below zero and is earned back. */
  pay(costMs: number): void {
    this.#savedMs -= costMs;
  }

  // Unread: above everything else. Else 1 and more when due by age or by a change of a fifth.
  #worth(candidate: PssCandidate, nowMs: number): number {
    if (candidate.lastPss === null) return 1e15 + candidate.rssBytes;
    const age = (nowMs - candidate.lastPss.monotonicMs) / this.#options.maxAgeMs;
    const moved = Math.abs(candidate.anonBytes - candidate.lastPss.anonBytes);
    const change = moved / Math.max(candidate.lastPss.anonBytes, 2 ** 23) / 0.2;
    const worth = Math.max(age, change);
    return worth >= 1 ? worth : 0;
  }
}
