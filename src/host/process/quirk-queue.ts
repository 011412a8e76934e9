import type { OutputChannel, OutputFrame, ProcessEnd } from './frame.ts';

/** Chunks that wait for a reader; with more, the process is not read and so stops. */
const mostChunks = 256;
/** One read(2) of the real server. */
const chunkBytes = 4_096;

/**
 * Output as the real in-VM server hands it out: a queue, not a log. What one reader took is gone for
 * all others; a reader that goes away takes one more chunk with it; and once the process has ended,
 * each chunk and the end itself are lost with a chance of one half, as there a `select` picks between
 * the queue and the end.
 */
export class QuirkQueue implements OutputChannel {
  readonly #random: () => number;
  readonly #chunks: (OutputFrame | ProcessEnd)[] = [];
  /** Those who wait for a chunk, the dead ones too. */
  readonly #takers: ((chunk: OutputFrame | ProcessEnd | null) => void)[] = [];
  #resume: (() => void) | null = null;
  #isEnded = false;

  constructor(random: () => number = Math.random) {
    this.#random = random;
  }

  push({ stream, data }: OutputFrame): boolean {
    for (let at = 0; at < data.length; at += chunkBytes) {
      this.#put({ stream, data: data.subarray(at, at + chunkBytes) });
    }
    return this.#chunks.length < mostChunks;
  }

  onDrain(resume: () => void): void {
    this.#resume = resume;
  }

  end(end: ProcessEnd): void {
    this.#isEnded = true;
    this.#put(end);
    for (const give of this.#takers.splice(0)) give(null);
  }

  async *read(signal: AbortSignal): AsyncGenerator<OutputFrame | ProcessEnd> {
    for (;;) {
      // A reader that is gone is noticed only when there is something to write to it.
      const chunk = await this.#take();
      if (chunk === null || signal.aborted) return;
      yield chunk;
      if (!('data' in chunk)) return;
    }
  }

  close(): void {
    this.#isEnded = true;
    this.#chunks.length = 0;
    for (const give of this.#takers.splice(0)) give(null);
  }

  #put(chunk: OutputFrame | ProcessEnd): void {
    const give = this.#takers.shift();
    if (give === undefined) this.#chunks.push(chunk);
    else give(chunk);
  }

  #take(): Promise<OutputFrame | ProcessEnd | null> {
    if (this.#isEnded && this.#random() < 0.5) return Promise.resolve(null);
    const chunk = this.#chunks.shift();
    if (this.#chunks.length < mostChunks) this.#resume?.();
    if (chunk !== undefined) return Promise.resolve(chunk);
    if (this.#isEnded) return Promise.resolve(null);
    return new Promise((resolve) => this.#takers.push(resolve));
  }
}
