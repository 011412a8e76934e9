/** CPU time of the main thread of every renderer, ns, by pid. */
export type ThreadClocks = ReadonlyMap<number, number>;

interface Origin {
  lowNs: number;
  highNs: number;
}

// The protocol tells seconds with six decimals.
const roundingNs = 1_000;

/**
 * Finds the process whose main thread a clock is of. The clock counts from an unknown moment, its
 * origin; each time it is read, the counters of all candidates are read before and after. For the
 * right process the origin is then between two of its counters, every time: an idle process is ruled
 * out by the second reading, a busy one as soon as it ran more or less than the clock did.
 */
export class ThreadClock {
  #candidates: Map<number, Origin> | null = null;
  #readingCount = 0;

  /** How often the clock was read. */
  get readingCount(): number {
    return this.#readingCount;
  }

  /**
   * The clock said this between these two sweeps, ns. Whoever is not in both sweeps is none. A thread
   * that runs is counted up to 10 ms late: the second sweep is to be that much later.
   */
  add(clockNs: number, before: ThreadClocks, after: ThreadClocks): void {
    if (!Number.isFinite(clockNs) || clockNs < 0) return;
    this.#readingCount++;
    const known = this.#candidates;
    const left = new Map<number, Origin>();
    for (const [pid, beforeNs] of before) {
      const afterNs = after.get(pid);
      const origin =
        known === null ? { lowNs: 0, highNs: Number.POSITIVE_INFINITY } : known.get(pid);
      if (afterNs === undefined || origin === undefined) continue;
      const lowNs = Math.max(origin.lowNs, beforeNs - clockNs - roundingNs);
      const highNs = Math.min(origin.highNs, afterNs - clockNs + roundingNs);
      if (lowNs <= highNs) left.set(pid, { lowNs, highNs });
    }
    this.#candidates = left;
  }

  /** Who is not ruled out; empty before the first reading. */
  candidates(): number[] {
    return [...(this.#candidates?.keys() ?? [])];
  }
}
