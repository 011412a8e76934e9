import { HeadroomError } from '../model/errors.ts';
import { advanceCursor, readCursor } from '../store/export-cursor.ts';
import type { Batch, DropCounts } from './otlp/batch-reader.ts';
import type { Delivery } from './otlp/delivery.ts';

/** Where the cursor of a file is kept; the real one is in the file. */
export interface CursorStore {
  readCursor: typeof readCursor;
  advanceCursor: typeof advanceCursor;
}

export interface LedgerOptions {
  /** What the cursor belongs to. */
  target: string;
  /** Begin at the start, and count from zero. Default: false. */
  resend?: boolean;
  store?: CursorStore;
  onWarning(message: string): void;
}

interface Detail {
  /** The closing points of the session were delivered. */
  closed: boolean;
  /** The last thing that the receiver said about points that it did not keep. */
  refusal: string | null;
}

/**
 * How far an export has come, kept in the recording itself. Where the file cannot be written the
 * export goes on, and begins at the start another time.
 */
export class ExportLedger {
  readonly #path: string;
  readonly #options: LedgerOptions;
  readonly #store: CursorStore;
  /** Points that earlier exports dealt with. */
  readonly deliveredBefore: number;
  #sequence = 0;
  #startsOver: boolean;
  #detail: Detail = { closed: false, refusal: null };
  #isWritable = true;
  #unsaved = { sentCount: 0, droppedCount: 0, rejectedCount: 0 };

  constructor(path: string, options: LedgerOptions) {
    this.#path = path;
    this.#options = options;
    this.#store = options.store ?? { readCursor, advanceCursor };
    this.#startsOver = options.resend ?? false;
    const cursor = this.#startsOver ? null : this.#store.readCursor(path, options.target);
    this.deliveredBefore = cursor === null ? 0 : cursor.sentCount + cursor.droppedCount;
    if (cursor === null) return;
    this.#sequence = cursor.sequence;
    this.#detail = parseDetail(cursor.detail);
  }

  /** The last tick that is dealt with; 0: none. */
  get sequence(): number {
    return this.#sequence;
  }

  get isClosed(): boolean {
    return this.#detail.closed;
  }

  /** This batch is dealt with. */
  advance(batch: Batch, delivery: Delivery): void {
    this.#sequence = batch.sequence;
    this.#detail = {
      closed: batch.closesSession,
      refusal: [...delivery.messages].at(-1) ?? this.#detail.refusal,
    };
    this.#unsaved.sentCount += delivery.sent;
    this.#unsaved.rejectedCount += delivery.rejected;
    this.#unsaved.droppedCount += sum(batch.dropped) + sum(delivery.dropped);
    if (this.#isWritable) this.#save(batch.timeUnixMs);
  }

  #save(timeUnixMs: number): void {
    const position = { sequence: this.#sequence, timeUnixMs, ...this.#unsaved };
    try {
      this.#store.advanceCursor(this.#path, this.#options.target, {
        ...position,
        startsOver: this.#startsOver,
        detail: JSON.stringify(this.#detail),
      });
      this.#startsOver = false;
      this.#unsaved = { sentCount: 0, droppedCount: 0, rejectedCount: 0 };
    } catch (error) {
      if (!(error instanceof HeadroomError)) throw error;
      // The recorder is writing: the next batch saves this one too.
      if (error.code === 'STORE_BUSY') return;
      this.#isWritable = false;
      this.#options.onWarning(
        `the export cannot be resumed, its position is not kept: ${error.message}`,
      );
    }
  }
}

export function sum(counts: DropCounts): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}

function parseDetail(text: string | null): Detail {
  const fresh: Detail = { closed: false, refusal: null };
  try {
    const detail: unknown = JSON.parse(text ?? 'null');
    if (typeof detail !== 'object' || detail === null) return fresh;
    return { ...fresh, closed: Reflect.get(detail, 'closed') === true };
  } catch (error) {
    // Another version wrote it.
    if (error instanceof SyntaxError) return fresh;
    throw error;
  }
}
