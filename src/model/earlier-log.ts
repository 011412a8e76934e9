/** What a recording that goes on has of the kernel's log already, of this boot of the machine. */
export interface EarlierLog {
  /** CLOCK_MONOTONIC at its own start. */
  startedMonotonicMs: number;
  /** Of its last kill; null: it has none. */
  killSequence: number | null;
}
