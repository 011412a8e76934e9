import type { WriteResult } from '../store/writer.ts';
import type { CommandIo } from './command.ts';

/** Tells once when the file cannot be written, and once when it can again. */
export class StoreWatch {
  readonly #stream: CommandIo['stderr'];
  readonly #out: string;
  #deferred = false;

  constructor(io: CommandIo, out: string) {
    this.#stream = io.stderr;
    this.#out = out;
  }

  tell(result: WriteResult): void {
    const isDeferred = result.outcome === 'deferred';
    if (isDeferred === this.#deferred) return;
    this.#deferred = isDeferred;
    if (isDeferred) {
      this.#stream.write(
        `cannot write ${this.#out} (${result.reason}: ${result.message}); samples are kept in memory until it can be written\n`,
      );
    } else {
      this.#stream.write(`${this.#out} can be written again\n`);
    }
  }

  /** The last word: false when samples could not be written at all. */
  end(result: WriteResult): boolean {
    if (result.outcome !== 'deferred') return true;
    const count = result.pendingCount + result.lostCount;
    this.#stream.write(
      `${count} samples could not be written into ${this.#out} (${result.reason}: ${result.message}); what was written before is there\n`,
    );
    return false;
  }
}
