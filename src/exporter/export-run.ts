import { HeadroomError } from '../model/errors.ts';
import type { Recording } from '../model/recording.ts';
import { openRecording } from '../store/reader.ts';
import { type Deadline, type Sleep, timerSleep } from './deadline.ts';
import { ExportLedger } from './export-ledger.ts';
import type { ExportOptions, ExportTally, SignalResult } from './export-options.ts';
import { addCounts, type Batch, type Horizon, type Item, type ItemReader } from './otlp/batch.ts';
import { type Delivery, type DeliveryOptions, deliver } from './otlp/delivery.ts';
import type { Stop } from './otlp/persistent-send.ts';
import type { SignalAccount } from './otlp/self-points.ts';
import { createSender, type Send } from './otlp/send.ts';
import type { ExportSignal } from './otlp/signal.ts';

const defaultOldAfterMs = 3_600_000;
const mostCounted = 100_000;
const defaultSpanMs = 300_000;
const defaultBodyBytes = 1_000_000;

export interface RunOptions extends ExportOptions {
  deadline: Deadline;
  warn(message: string): void;
}

/** One export of one signal of one recording: cursor → batch → send → advance, in passes. */
export class ExportRun<T extends Item = Item> {
  readonly sleep: Sleep;
  readonly #path: string;
  readonly #signal: ExportSignal<T>;
  readonly #options: RunOptions;
  readonly #deadline: Deadline;
  readonly #ledger: ExportLedger;
  readonly #tally: ExportTally = { sent: 0, rejected: 0, dropped: {}, retries: 0 };
  readonly #now: () => number;
  readonly #open: (path: string) => Recording;
  readonly #send: Send;
  readonly #spanMs: number;
  readonly #bodyBytes: number;
  #itemLimit: number;
  // Null: to be made from the recording's beginning, up to the ledger.
  #reader: ItemReader<T> | null = null;

  constructor(path: string, signal: ExportSignal<T>, options: RunOptions) {
    const { runtime = {}, limits = {} } = options;
    this.#path = path;
    this.#signal = signal;
    this.#options = options;
    this.#deadline = options.deadline;
    this.#spanMs = limits.spanMs ?? defaultSpanMs;
    this.#bodyBytes = limits.bodyBytes ?? defaultBodyBytes;
    this.#itemLimit = limits.items ?? signal.itemLimit;
    this.#now = runtime.now ?? Date.now;
    this.#open = runtime.open ?? openRecording;
    const given = signal.name === 'metrics' ? runtime.send : runtime.sendLogs;
    this.#send = given ?? createSender(signal.target, this.#now);
    this.sleep = runtime.sleep ?? timerSleep;
    this.#ledger = new ExportLedger(path, {
      target: signal.target.key,
      resend: options.resend ?? false,
      ...(runtime.cursors === undefined ? {} : { store: runtime.cursors }),
      onWarning: options.warn,
    });
  }

  /** What became of it so far, in this export and those before. */
  get account(): SignalAccount {
    const { name, target } = this.#signal;
    const { retries } = this.#tally;
    return { signal: name, target, retries, ...this.#ledger.totals };
  }

  /** One request, which may fail. */
  async sendOnce(body: Uint8Array): Promise<void> {
    await this.#send(body, this.#deadline.over);
  }

  /** Delivers what is there, but nothing younger than `settleMs` while the recorder runs. */
  async pass(options: { settleMs: number }): Promise<Stop | null> {
    using recording = this.#open(this.#path);
    return await this.#deliverAll(recording, this.#horizon(recording, options.settleMs));
  }

  /** Says why a pass came to nothing. */
  warnOf(stop: Stop): void {
    if (stop.kind === 'failed') this.#options.warn(`${stop.message}. ${stop.hint}`);
  }

  /** What became of it; called once, at the end. */
  result(stop: Stop | null): SignalResult {
    this.#ledger.finish();
    const left = stop === null ? 0 : this.#countLeft();
    return {
      ...this.#tally,
      left,
      alreadyDelivered: this.#ledger.deliveredBefore,
      problem: stop === null ? null : this.#problem(stop, left),
    };
  }

  async #deliverAll(recording: Recording, horizon: Horizon): Promise<Stop | null> {
    const reader = this.#reader ?? this.#signal.reader(recording, this.#ledger.position);
    // On any way out but the last one the reader is ahead of the ledger.
    this.#reader = null;
    for (;;) {
      const limits = { items: this.#itemLimit, spanMs: this.#spanMs };
      const batch = reader.next(recording, limits, { ...horizon, ...this.#timeBounds() });
      if (batch === null) break;
      if (this.#signal.name === 'metrics') this.#warnOfAge(batch);
      for (const notice of batch.notices ?? []) this.#options.warn(notice);
      const delivery = await deliver(batch.items, this.#deliveryOptions(recording));
      this.#itemLimit = delivery.itemLimit;
      for (const message of delivery.messages) this.#options.warn(`the receiver says: ${message}`);
      if (delivery.stop !== null) return delivery.stop;
      this.#ledger.advance(batch, delivery);
      this.#count(batch, delivery);
      this.#tellProgress(batch);
    }
    this.#reader = reader;
    return null;
  }

  #horizon(recording: Recording, settleMs: number): Horizon {
    const ended = !recording.isLive && this.#options.goesOn !== true;
    const last = recording.lastTick();
    const isSettling = !ended && settleMs > 0 && last !== null;
    return {
      ended,
      ...this.#timeBounds(),
      toUnixMs: isSettling ? last.timeUnixMs - settleMs : undefined,
    };
  }

  #timeBounds(): Pick<Horizon, 'nowUnixMs' | 'oldestUnixMs'> {
    const nowUnixMs = this.#now();
    const { maxAgeMs = null } = this.#options;
    return { nowUnixMs, oldestUnixMs: maxAgeMs === null ? undefined : nowUnixMs - maxAgeMs };
  }

  #deliveryOptions(recording: Recording): DeliveryOptions<T> {
    return {
      send: this.#send,
      sleep: this.sleep,
      random: this.#options.runtime?.random ?? Math.random,
      hurry: this.#deadline.hurry,
      timeIsOver: this.#deadline.over,
      maxBodyBytes: this.#bodyBytes,
      itemLimit: this.#itemLimit,
      hasTaken: this.#ledger.hasSent,
      serialize: (items) => this.#signal.serialize(items, recording),
      onWait: (wait) => {
        this.#tally.retries++;
        this.#options.onEvent?.({ kind: 'waiting', ...wait });
      },
    };
  }

  #count(batch: Batch<T>, delivery: Delivery): void {
    this.#tally.sent += delivery.sent;
    this.#tally.rejected += delivery.rejected;
    addCounts(this.#tally.dropped, batch.dropped);
    addCounts(this.#tally.dropped, delivery.dropped);
  }

  #tellProgress({ timeUnixMs }: Batch<T>): void {
    const signal = this.#signal.name;
    this.#options.onEvent?.({ kind: 'progress', signal, tally: this.#tally, timeUnixMs });
  }

  // There is little time when it is asked: the first are counted, of more the rest is estimated.
  #countLeft(): number {
    using recording = this.#open(this.#path);
    const from = this.#ledger.position;
    const reader = this.#signal.reader(recording, from);
    const horizon = this.#horizon(recording, 0);
    const limits = { items: this.#signal.itemLimit, spanMs: this.#spanMs };
    let items = 0;
    for (;;) {
      const batch = reader.next(recording, limits, horizon);
      if (batch === null) return items;
      items += batch.items.length;
      const ticks = batch.sequence - (from?.sequence ?? 0);
      const ticksLeft = Math.max(0, (recording.lastTick()?.sequence ?? 0) - batch.sequence);
      if (items > mostCounted) return Math.round(items + (ticksLeft * items) / ticks);
    }
  }

  #problem(stop: Stop, left: number): HeadroomError {
    const { noun, target } = this.#signal;
    const what = `${left} ${noun} are not delivered to ${target.name}`;
    return stop.kind === 'failed'
      ? new HeadroomError('EXPORT_INCOMPLETE', `${what}: ${stop.message}`, { hint: stop.hint })
      : new HeadroomError('EXPORT_INCOMPLETE', `${what}: time is over (${stop.reason})`, {
          hint: 'They are in the file: export it again, and it goes on from there.',
        });
  }

  #warnOfAge({ items }: Batch<T>): void {
    const oldest = items.reduce((time, item) => Math.min(time, item.timeUnixMs), Infinity);
    const ageMs = this.#now() - oldest;
    if (ageMs <= (this.#options.oldAfterMs ?? defaultOldAfterMs)) return;
    this.#options.warn(
      'some of the samples are old, and many receivers refuse what is older than an hour (Prometheus: out_of_order_time_window); what they refuse is counted here and stays in the file',
    );
  }
}
