import type { Note } from '../../model/event.ts';

export interface Repeats {
  count: number;
  /** `at <time>` or `from <time> to <time>`, ISO 8601. */
  when: string;
}

const pauseMs = 60_000;

/**
 * Folds a condition that may repeat many times a second: told at once, since the machine may not
 * live much longer, and from then on once a minute with the count since the last note.
 */
export class RepeatedNote {
  readonly #code: Note['code'];
  readonly #describe: (repeats: Repeats) => string;
  #count = 0;
  #firstUnixMs = 0;
  #lastUnixMs = 0;
  #toldMs = Number.NEGATIVE_INFINITY;

  constructor(code: Note['code'], describe: (repeats: Repeats) => string) {
    this.#code = code;
    this.#describe = describe;
  }

  add(count: number, timeUnixMs: number): void {
    if (this.#count === 0) this.#firstUnixMs = timeUnixMs;
    this.#count += count;
    this.#lastUnixMs = timeUnixMs;
  }

  /** The note that is due; null when nothing happened, or the last note is less than a minute old. */
  due(nowMonotonicMs: number): Note | null {
    if (this.#count === 0 || nowMonotonicMs - this.#toldMs < pauseMs) return null;
    this.#toldMs = nowMonotonicMs;
    return this.rest();
  }

  /** The note of everything not yet told, due or not; null when there is nothing. */
  rest(): Note | null {
    if (this.#count === 0) return null;
    const first = isoTime(this.#firstUnixMs);
    const last = isoTime(this.#lastUnixMs);
    const when = first === last ? `at ${first}` : `from ${first} to ${last}`;
    const message = this.#describe({ count: this.#count, when });
    this.#count = 0;
    return { kind: 'note', timeUnixMs: this.#firstUnixMs, code: this.#code, message };
  }
}

function isoTime(unixMs: number): string {
  const time = new Date(unixMs);
  return Number.isNaN(time.getTime()) ? String(unixMs) : time.toISOString();
}
