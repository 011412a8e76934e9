import { HeadroomError } from '../model/errors.ts';
import type { Recording } from '../model/recording.ts';
import { openRecording } from '../store/reader.ts';
import { Deadline, type Sleep, timerSleep } from './deadline.ts';
import { ExportLedger } from './export-ledger.ts';
import type { ExportOptions, ExportResult, ExportTally } from './export-options.ts';
import {
  type Batch,
  BatchReader,
  type DropCounts,
  dropReasons,
  type Horizon,
} from './otlp/batch-reader.ts';
import { type Delivery, type DeliveryOptions, deliver } from './otlp/delivery.ts';
import type { Stop } from './otlp/persistent-send.ts';
import { createSender, type Send } from './otlp/send.ts';
import { serializePoints } from './otlp/serialize.ts';
import { resourceOf } from './session-identity.ts';

const defaultOldAfterMs = 3_600_000;
const mostWarnings = 30;
const mostCounted = 100_000;
const defaultLimits = { points: 2_000, spanMs: 300_000, bodyBytes: 1_000_000 };

/** One export of one recording to one target: cursor → batch → send → advance, in passes. */
export class ExportRun {
  readonly deadline: Deadline;
  readonly sleep: Sleep;
  readonly #path: string;
  readonly #options: ExportOptions;
  readonly #limits: typeof defaultLimits;
  readonly #ledger: ExportLedger;
  readonly #tally: ExportTally = { sent: 0, rejected: 0, dropped: {}, retries: 0 };
  readonly #told = new Set<string>();
  readonly #now: () => number;
  readonly #open: (path: string) => Recording;
  readonly #send: Send;
  #pointLimit: number;
  // Null: to be made from the recording's beginning, up to the ledger.
  #reader: BatchReader | null = null;

  constructor(path: string, options: ExportOptions) {
    const runtime = options.runtime ?? {};
    this.#path = path;
    this.#options = options;
    this.#limits = { ...defaultLimits, ...options.limits };
    this.#pointLimit = this.#limits.points;
    this.#now = runtime.now ?? Date.now;
    this.#open = runtime.open ?? openRecording;
    this.#send = runtime.send ?? createSender(options.target, this.#now);
    this.sleep = runtime.sleep ?? timerSleep;
    this.deadline = new Deadline(this.sleep);
    for (const warning of options.target.warnings) this.#warn(warning);
    this.#ledger = new ExportLedger(path, {
      target: options.target.key,
      resend: options.resend ?? false,
      ...(runtime.cursors === undefined ? {} : { store: runtime.cursors }),
      onWarning: (message) => this.#warn(message),
    });
  }

  /** Delivers what is there, but nothing younger than `settleMs` while the recorder runs. */
  async pass(options: { settleMs: number }): Promise<Stop | null> {
    using recording = this.#open(this.#path);
    return await this.#deliverAll(recording, this.#horizon(recording, options.settleMs));
  }

  /** Calls back when the recorder is gone; resolves then, or when the export's end is near anyway. */
  async watchEnd(pollMs: number, onEnd: () => void): Promise<void> {
    while (!this.deadline.hurry.aborted) {
      if (this.#hasEnded()) onEnd();
      else await this.sleep(pollMs, this.deadline.hurry);
    }
  }

  /** Says why a pass came to nothing. */
  warnOf(stop: Stop): void {
    if (stop.kind === 'failed') this.#warn(`${stop.message}. ${stop.hint}`);
  }

  result(stop: Stop | null): ExportResult {
    const left = stop === null ? 0 : this.#countLeft();
    return {
      ...this.#tally,
      left,
      alreadyDelivered: this.#ledger.deliveredBefore,
      problem: stop === null ? null : this.#problem(stop, left),
    };
  }

  close(): void {
    this.deadline.close();
  }

  async #deliverAll(recording: Recording, horizon: Horizon): Promise<Stop | null> {
    const reader = this.#reader ?? this.#newReader(recording);
    // On any way out but the last one the reader is ahead of the ledger.
    this.#reader = null;
    for (;;) {
      const limits = { points: this.#pointLimit, spanMs: this.#limits.spanMs };
      const batch = reader.next(recording, limits, { ...horizon, nowUnixMs: this.#now() });
      if (batch === null) break;
      this.#warnOfAge(batch);
      const delivery = await deliver(batch.points, this.#deliveryOptions(recording));
      this.#pointLimit = delivery.pointLimit;
      for (const message of delivery.messages) this.#warn(`the receiver says: ${message}`);
      if (delivery.stop !== null) return delivery.stop;
      this.#ledger.advance(batch, delivery);
      this.#count(batch, delivery);
      const { timeUnixMs } = batch;
      this.#options.onEvent?.({ kind: 'progress', tally: this.#tally, timeUnixMs });
    }
    this.#reader = reader;
    return null;
  }

  #horizon(recording: Recording, settleMs: number): Horizon {
    const ended = !recording.isLive;
    const last = recording.lastTick();
    const isSettling = !ended && settleMs > 0 && last !== null;
    return {
      ended,
      nowUnixMs: this.#now(),
      toUnixMs: isSettling ? last.timeUnixMs - settleMs : undefined,
    };
  }

  #newReader(recording: Recording): BatchReader {
    const reader = new BatchReader(recording.facts, {
      encoding: this.#options.target.encoding,
      closed: this.#ledger.isClosed,
    });
    reader.skipTo(recording, this.#ledger.sequence);
    return reader;
  }

  #deliveryOptions(recording: Recording): DeliveryOptions {
    const { target, onEvent, runtime } = this.#options;
    const resource = resourceOf(recording.facts, target.resource);
    return {
      send: this.#send,
      sleep: this.sleep,
      random: runtime?.random ?? Math.random,
      hurry: this.deadline.hurry,
      timeIsOver: this.deadline.over,
      maxBodyBytes: this.#limits.bodyBytes,
      pointLimit: this.#pointLimit,
      serialize: (points) => serializePoints(points, resource, target.encoding),
      onWait: (wait) => {
        this.#tally.retries++;
        onEvent?.({ kind: 'waiting', ...wait });
      },
    };
  }

  #count(batch: Batch, delivery: Delivery): void {
    this.#tally.sent += delivery.sent;
    this.#tally.rejected += delivery.rejected;
    addCounts(this.#tally.dropped, batch.dropped);
    addCounts(this.#tally.dropped, delivery.dropped);
  }

  // There is little time when it is asked: the first are counted, of more the rest is estimated.
  #countLeft(): number {
    using recording = this.#open(this.#path);
    const reader = this.#newReader(recording);
    const horizon = this.#horizon(recording, 0);
    let points = 0;
    for (;;) {
      const batch = reader.next(recording, this.#limits, horizon);
      if (batch === null) return points;
      points += batch.points.length;
      const ticks = batch.sequence - this.#ledger.sequence;
      const ticksLeft = (recording.lastTick()?.sequence ?? 0) - batch.sequence;
      if (points > mostCounted) return Math.round(points + (ticksLeft * points) / ticks);
    }
  }

  #problem(stop: Stop, left: number): HeadroomError {
    const { name } = this.#options.target;
    const what = `${left} points are not delivered to ${name}`;
    return stop.kind === 'failed'
      ? new HeadroomError('EXPORT_INCOMPLETE', `${what}: ${stop.message}`, { hint: stop.hint })
      : new HeadroomError('EXPORT_INCOMPLETE', `${what}: time is over (${stop.reason})`, {
          hint: 'They are in the file: export it again, and it goes on from there.',
        });
  }

  #warnOfAge(batch: Batch): void {
    const oldest = batch.points.reduce((time, point) => Math.min(time, point.timeUnixMs), Infinity);
    const ageMs = this.#now() - oldest;
    if (ageMs <= (this.#options.oldAfterMs ?? defaultOldAfterMs)) return;
    this.#warn(
      'some of the samples are old, and many receivers refuse what is older than an hour (Prometheus: out_of_order_time_window); what they refuse is counted here and stays in the file',
    );
  }

  // The same text once; a receiver that puts a time into each of its texts would never end.
  #warn(message: string): void {
    if (this.#told.has(message) || this.#told.size >= mostWarnings) return;
    this.#told.add(message);
    this.#options.onEvent?.({ kind: 'warning', message });
  }

  #hasEnded(): boolean {
    try {
      using recording = this.#open(this.#path);
      return !recording.isLive;
    } catch (error) {
      // The next pass meets the same error, if it lasts, and tells it.
      if (error instanceof HeadroomError) return false;
      throw error;
    }
  }
}

function addCounts(to: DropCounts, more: DropCounts): void {
  for (const reason of dropReasons) {
    const count = more[reason];
    if (count !== undefined) to[reason] = (to[reason] ?? 0) + count;
  }
}
