export interface CounterReading {
  /** Since when it counts. */
  startUnixMs: number;
  value: number;
}

/**
 * Makes an OTLP cumulative sum of a kernel's counter that began long before the recording: 0 at the
 * start, so that the first event is an increase and not a birth. When the counter falls (another
 * boot, a restored snapshot) the sum begins again with a new start time, as the data model asks
 * (OTLP metrics data model, "Resets and Gaps").
 */
export class RunningCounter {
  #startUnixMs: number;
  #base: number | null;
  #last: number;

  /** `base` is the counter at the start; null: whatever the first reading says. */
  constructor(startUnixMs: number, base: number | null) {
    this.#startUnixMs = startUnixMs;
    this.#base = base;
    this.#last = base ?? 0;
  }

  read(counter: number, unixMs: number): CounterReading {
    if (this.#base === null) {
      this.#base = counter;
    } else if (counter < this.#last) {
      this.#base = counter;
      this.#startUnixMs = unixMs;
    }
    this.#last = counter;
    return { startUnixMs: this.#startUnixMs, value: counter - this.#base };
  }
}
