import type { DropCounts, DropReason, Item } from './batch.ts';
import { type Patience, type Stop, sendPersistently } from './persistent-send.ts';

/** What became of a batch. */
export interface Delivery {
  /** In requests that the receiver took. */
  sent: number;
  /** Of these, those that it said it did not keep (partial success). */
  rejected: number;
  dropped: DropCounts;
  /** What the receiver said about what it did not keep, each text once. */
  messages: ReadonlySet<string>;
  /** Null when every item is dealt with. */
  stop: Stop | null;
  /** How many items the next request may have. */
  itemLimit: number;
}

export interface DeliveryOptions<T extends Item> extends Patience {
  serialize(items: readonly T[]): Uint8Array;
  /** Requests are kept below this size, before compression. */
  maxBodyBytes: number;
  itemLimit: number;
  /** The receiver has taken something from us before. */
  hasTaken: boolean;
}

// Beyond this many requests a part that is refused for what is in it is given up whole.
const maxRequests = 256;
// So many single items refused and none taken in between: it is not the items.
const hopelessRefusals = 8;
// One odd item must not make every later request tiny.
const smallestItemLimit = 100;
const tooLarge = /too (large|big)|larger than|exceeds? .{0,40}(limit|size)/i;
// Prometheus, Mimir, Thanos and VictoriaMetrics, each in its own words.
const tooOld = /too.?old|too far (in|behind)|out.of.(bounds|order)|older than/i;

/**
 * Delivers the items of one batch, the oldest first. A receiver refuses a request for one bad item
 * in it, so a refused request is made again in halves until the item is alone, which is then
 * dropped; one that is too large is halved; one that is too old is made again tick by tick.
 * Stops, with nothing dropped for good, when the receiver refuses whatever it gets.
 */
export async function deliver<T extends Item>(
  items: readonly T[],
  options: DeliveryOptions<T>,
): Promise<Delivery> {
  const delivery = new BatchDelivery(options, items.length);
  await delivery.deliver(items);
  return delivery.result();
}

class BatchDelivery<T extends Item> {
  readonly #options: DeliveryOptions<T>;
  readonly #dropped: DropCounts = {};
  readonly #messages = new Set<string>();
  #sent = 0;
  #rejected = 0;
  #stop: Stop | null = null;
  #itemLimit: number;
  #requests = 0;
  #refusedInARow = 0;
  readonly #hopeless: number;

  constructor(options: DeliveryOptions<T>, itemCount: number) {
    this.#options = options;
    // Of a receiver that never took anything, a few items that are refused are proof enough.
    this.#hopeless = options.hasTaken ? hopelessRefusals : Math.min(hopelessRefusals, itemCount);
    this.#itemLimit = options.itemLimit;
  }

  result(): Delivery {
    const limit = Math.max(smallestItemLimit, this.#itemLimit);
    return {
      sent: this.#sent,
      rejected: this.#rejected,
      dropped: this.#dropped,
      messages: this.#messages,
      stop: this.#stop,
      itemLimit: Math.min(limit, this.#options.itemLimit),
    };
  }

  async deliver(items: readonly T[]): Promise<void> {
    if (items.length === 0 || this.#stop !== null) return;
    if (items.length > this.#itemLimit) return await this.#inHalves(items);
    const body = this.#options.serialize(items);
    if (body.byteLength > this.#options.maxBodyBytes && items.length > 1) {
      this.#itemLimit = Math.ceil(items.length / 2);
      return await this.#inHalves(items);
    }
    // Only the first request is worth waiting for when the receiver fails; its parts find out why.
    const tries = this.#requests === 0 ? 5 : 1;
    this.#requests++;
    const outcome = await sendPersistently(body, this.#options, tries);
    if (outcome.kind === 'stop') {
      this.#stop = outcome.stop;
    } else if (outcome.kind === 'rejected') {
      await this.#refused(items, `status ${outcome.status} ${outcome.message}`.trim());
    } else {
      this.#sent += items.length;
      this.#refusedInARow = 0;
      if (outcome.kind === 'sent') return;
      this.#rejected += Math.min(outcome.rejected, items.length);
      if (outcome.message !== '') this.#messages.add(outcome.message);
      if (outcome.rejected > items.length) {
        const more = `${outcome.rejected} rejected of ${items.length} that were sent`;
        this.#messages.add(`${more}, which cannot be; all of them are taken for rejected`);
      }
    }
  }

  async #refused(items: readonly T[], message: string): Promise<void> {
    this.#messages.add(message);
    const reason = reasonOf(message);
    if (reason === 'too_large') this.#itemLimit = Math.ceil(items.length / 2);
    const ticks = reason === 'too_old' ? byTime(items) : [];
    const isEnough = reason !== 'too_large' && this.#requests >= maxRequests;
    if (items.length === 1 || ticks.length === 1 || isEnough) {
      this.#drop(items, reason, message);
    } else if (reason === 'too_old') {
      await this.#tickByTick(ticks);
    } else {
      await this.#inHalves(items);
    }
  }

  async #inHalves(items: readonly T[]): Promise<void> {
    const middle = Math.ceil(items.length / 2);
    await this.deliver(items.slice(0, middle));
    await this.deliver(items.slice(middle));
  }

  // Too old is a matter of time: what comes after the first tick that is taken is new enough.
  async #tickByTick(ticks: readonly (readonly T[])[]): Promise<void> {
    for (const [index, tick] of ticks.entries()) {
      const sentBefore = this.#sent;
      await this.deliver(tick);
      if (this.#sent > sentBefore) return await this.deliver(ticks.slice(index + 1).flat());
    }
  }

  #drop(items: readonly T[], reason: DropReason, message: string): void {
    this.#dropped[reason] = (this.#dropped[reason] ?? 0) + items.length;
    if (reason === 'too_old') return;
    this.#refusedInARow++;
    if (this.#refusedInARow < this.#hopeless) return;
    this.#stop = {
      kind: 'failed',
      message: `the receiver refuses all of it: ${message}`,
      hint: 'They stay in the file: set the receiver or OTEL_EXPORTER_OTLP_PROTOCOL right and export again.',
    };
  }
}

function reasonOf(message: string): DropReason {
  if (message.startsWith('status 413') || tooLarge.test(message)) return 'too_large';
  return tooOld.test(message) ? 'too_old' : 'refused';
}

function byTime<T extends Item>(items: readonly T[]): T[][] {
  const ticks = new Map<number, T[]>();
  for (const item of items) {
    const tick = ticks.get(item.timeUnixMs);
    if (tick === undefined) ticks.set(item.timeUnixMs, [item]);
    else tick.push(item);
  }
  return [...ticks].sort(([a], [b]) => a - b).map(([, tick]) => tick);
}
