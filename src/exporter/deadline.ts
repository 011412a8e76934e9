import timers from 'node:timers/promises';

/** Resolves after so many ms, or as soon as the signal is aborted. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

/** The end of an export: near once there is nothing more to come, over when its time has run out. */
export class Deadline {
  readonly #sleep: Sleep;
  readonly #hurry = new AbortController();
  readonly #over = new AbortController();
  readonly #closed = new AbortController();

  constructor(sleep: Sleep) {
    this.#sleep = sleep;
  }

  /** Aborted when the end is near. */
  get hurry(): AbortSignal {
    return this.#hurry.signal;
  }

  /** Aborted when time has run out. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** Time runs out in so many ms; null: never. */
  start(ms: number | null): void {
    if (ms === null) return;
    this.#sleep(ms, this.#closed.signal).then(() => {
      if (!this.#closed.signal.aborted) this.#over.abort();
    });
  }

  /** From now on there is nothing more to come. Later calls change nothing. */
  endIsNear(ms: number | null): void {
    if (this.#hurry.signal.aborted) return;
    this.#hurry.abort();
    this.start(ms);
  }

  /** Time is over. */
  endNow(): void {
    this.#over.abort();
    this.close();
  }

  /** Ends every wait; time does not run out any more. */
  close(): void {
    this.#closed.abort();
    this.#hurry.abort();
  }
}

export async function timerSleep(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await timers.setTimeout(ms, undefined, { signal });
  } catch (error) {
    // Being woken is not a failure.
    if (!(error instanceof Error) || error.name !== 'AbortError') throw error;
  }
}
