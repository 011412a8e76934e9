import { HeadroomError } from '../model/errors.ts';
import { advanceCursor, readCursor } from '../store/export-cursor.ts';
import {
  addCounts,
  type Batch,
  type DropCounts,
  dropReasons,
  type Item,
  type Position,
  sumOfCounts,
} from './otlp/batch.ts';
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

export interface LedgerTotals {
  sent: number;
  rejected: number;
  dropped: DropCounts;
  /** Of the last tick, or event, that is dealt with. */
  timeUnixMs: number | null;
}

interface Detail {
  /** What is said once, at the end of the session, was delivered. */
  closed: boolean;
  /** What was left out or given up so far, by reason. */
  dropped: DropCounts;
  /** The last thing that the receiver said about what it did not keep. */
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
  /** Items that earlier exports dealt with. */
  readonly deliveredBefore: number;
  #position: Position | null = null;
  #sent = 0;
  #rejected = 0;
  #timeUnixMs: number | null = null;
  #startsOver: boolean;
  #detail: Detail = { closed: false, dropped: {}, refusal: null };
  #isWritable = true;
  #unsavedAt: { sequence: number; timeUnixMs: number } | null = null;
  #unsaved = { sentCount: 0, droppedCount: 0, rejectedCount: 0 };

  constructor(path: string, options: LedgerOptions) {
    this.#path = path;
    this.#options = options;
    this.#store = options.store ?? { readCursor, advanceCursor };
    this.#startsOver = options.resend ?? false;
    const cursor = this.#startsOver ? null : this.#store.readCursor(path, options.target);
    this.deliveredBefore = cursor === null ? 0 : cursor.sentCount + cursor.droppedCount;
    if (cursor === null) return;
    this.#detail = parseDetail(cursor.detail);
    this.#position = { sequence: cursor.sequence, isClosed: this.#detail.closed };
    this.#sent = cursor.sentCount;
    this.#rejected = cursor.rejectedCount;
    this.#timeUnixMs = cursor.timeUnixMs;
  }

  /** What is dealt with; null: nothing. */
  get position(): Position | null {
    return this.#position;
  }

  /** The receiver has taken something from us before. */
  get hasSent(): boolean {
    return this.#sent > 0;
  }

  /** Of this export and those before. */
  get totals(): LedgerTotals {
    return {
      sent: this.#sent,
      rejected: this.#rejected,
      dropped: this.#detail.dropped,
      timeUnixMs: this.#timeUnixMs,
    };
  }

  /** This batch is dealt with. */
  advance(batch: Batch<Item>, delivery: Delivery): void {
    this.#position = { sequence: batch.sequence, isClosed: batch.closesSession };
    this.#sent += delivery.sent;
    this.#rejected += delivery.rejected;
    this.#timeUnixMs = batch.timeUnixMs;
    const dropped = { ...this.#detail.dropped };
    addCounts(dropped, batch.dropped);
    addCounts(dropped, delivery.dropped);
    this.#detail = {
      closed: batch.closesSession,
      dropped,
      refusal: [...delivery.messages].at(-1) ?? this.#detail.refusal,
    };
    this.#unsaved.sentCount += delivery.sent;
    this.#unsaved.rejectedCount += delivery.rejected;
    this.#unsaved.droppedCount += sumOfCounts(batch.dropped) + sumOfCounts(delivery.dropped);
    this.#unsavedAt = { sequence: batch.sequence, timeUnixMs: batch.timeUnixMs };
    this.#save();
  }

  /** Keeps what could not be kept with the last batch. */
  finish(): void {
    this.#save();
  }

  #save(): void {
    if (!this.#isWritable || this.#unsavedAt === null) return;
    const position = { ...this.#unsavedAt, ...this.#unsaved };
    try {
      this.#store.advanceCursor(this.#path, this.#options.target, {
        ...position,
        startsOver: this.#startsOver,
        detail: JSON.stringify(this.#detail),
      });
      this.#startsOver = false;
      this.#unsavedAt = null;
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

function parseDetail(text: string | null): Detail {
  const fresh: Detail = { closed: false, dropped: {}, refusal: null };
  try {
    const detail: unknown = JSON.parse(text ?? 'null');
    if (typeof detail !== 'object' || detail === null) return fresh;
    const { closed, dropped } = detail as Partial<Record<keyof Detail, unknown>>;
    return { ...fresh, closed: closed === true, dropped: countsOf(dropped) };
  } catch (error) {
    // Another version wrote it.
    if (error instanceof SyntaxError) return fresh;
    throw error;
  }
}

function countsOf(value: unknown): DropCounts {
  const counts: DropCounts = {};
  if (typeof value !== 'object' || value === null) return counts;
  for (const reason of dropReasons) {
    const count: unknown = Reflect.get(value, reason);
    if (typeof count === 'number' && count > 0) counts[reason] = count;
  }
  return counts;
}
