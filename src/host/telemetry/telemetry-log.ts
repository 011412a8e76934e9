import { Waiters } from '../waiters.ts';

/** An event as the API tells it. */
export interface TelemetryEvent {
  /** Microseconds since the epoch. */
  ts: number;
  type: string;
  category: string;
  source: { kind: string; event?: string; metadata?: Readonly<Record<string, string>> };
  data?: object;
}

export interface TelemetryEnvelope {
  seq: number;
  event: TelemetryEvent;
}

/** As many as the real server has for `replay=all`. */
const ringLength = 1_024;
const archiveLength = 20_000;

/** What happened in one session; it can be asked for after the session is gone. */
export class TelemetryLog {
  readonly #archive: TelemetryEnvelope[] = [];
  readonly #waiters = new Waiters();
  #lastSeq = 0;

  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** The oldest event that a live stream can still begin with. */
  get oldestSeq(): number {
    return Math.max(1, this.#lastSeq - ringLength + 1, this.#archive[0]?.seq ?? 1);
  }

  get events(): readonly TelemetryEnvelope[] {
    return this.#archive;
  }

  publish(event: TelemetryEvent): void {
    this.#archive.push({ seq: ++this.#lastSeq, event });
    if (this.#archive.length > archiveLength) this.#archive.shift();
    this.#waiters.wake();
  }

  /** The events behind `afterSeq`, and then each as it happens, until the signal. */
  async *follow(afterSeq: number, signal: AbortSignal): AsyncGenerator<TelemetryEnvelope> {
    for (let seq = Math.max(afterSeq + 1, this.oldestSeq); !signal.aborted; ) {
      const next = this.#archive[seq - (this.#archive[0]?.seq ?? 1)];
      if (next !== undefined) {
        seq = next.seq + 1;
        yield next;
      } else if (seq <= this.#lastSeq) {
        seq = this.oldestSeq;
      } else {
        await this.#waiters.more(signal);
      }
    }
  }
}
