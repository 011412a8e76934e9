import type { RecordingEvent } from '../model/event.ts';
import type { Sample } from '../model/sample.ts';

export interface PendingSample {
  sample: Sample;
  events: readonly RecordingEvent[];
}

// An out-of-memory report is worth more than a sample, so events outlive theirs, up to here.
const mostCarriedEvents = 1000;

/** Samples that wait to be written, oldest first. When there is no room, the oldest is given up. */
export class PendingSamples {
  readonly #capacity: number;
  readonly #samples: PendingSample[] = [];

  constructor(capacity: number) {
    this.#capacity = Math.max(1, capacity);
  }

  get count(): number {
    return this.#samples.length;
  }

  get first(): PendingSample | undefined {
    return this.#samples[0];
  }

  get last(): PendingSample | undefined {
    return this.#samples.at(-1);
  }

  /** Gives back how many samples were lost for it; their events go to the next one. */
  push(pending: PendingSample): number {
    this.#samples.push(pending);
    if (this.#samples.length <= this.#capacity) return 0;
    const lost = this.#samples.shift();
    const next = this.#samples[0];
    if (lost !== undefined && next !== undefined && lost.events.length > 0) {
      next.events = [...lost.events, ...next.events].slice(-mostCarriedEvents);
    }
    return 1;
  }

  removeFirst(): void {
    this.#samples.shift();
  }
}
