import type { DropCounts, DropReason } from './batch-reader.ts';
import { type Patience, type Stop, sendPersistently } from './persistent-send.ts';
import type { Point } from './session-points.ts';

/** What became of a batch. */
export interface Delivery {
  /** In requests that the receiver took. */
  sent: number;
  /** Of these, those that it said it did not keep (partial success). */
  rejected: number;
  dropped: DropCounts;
  /** What the receiver said about what it did not keep, each text once. */
  messages: ReadonlySet<string>;
  /** Null when every point is dealt with. */
  stop: Stop | null;
  /** How many points the next request may have. */
  pointLimit: number;
}

export interface DeliveryOptions extends Patience {
  serialize(points: readonly Point[]): Uint8Array;
  /** Requests are kept below this size, before compression. */
  maxBodyBytes: number;
  pointLimit: number;
}

// Beyond this many requests a part that is refused for what is in it is given up whole.
const maxRequests = 256;
// So many single points refused and none taken in between: it is not the points.
const hopelessRefusals = 8;
// One odd point must not make every later request tiny.
const smallestPointLimit = 100;
const tooLarge = /too (large|big)|larger than|exceeds? .{0,40}(limit|size)/i;
// Prometheus, Mimir, Thanos and VictoriaMetrics, each in its own words.
const tooOld = /too.?old|too far (in|behind)|out.of.(bounds|order)|older than/i;

/**
 * Delivers the points of one batch, the oldest first. A receiver refuses a request for one bad point
 * in it, so a refused request is made again in halves until the point is alone, which is then
 * dropped; one that is too large is halved; one that is too old is made again tick by tick.
 * Stops, with nothing dropped for good, when the receiver refuses whatever it gets.
 */
export async function deliver(
  points: readonly Point[],
  options: DeliveryOptions,
): Promise<Delivery> {
  const delivery = new BatchDelivery(options);
  await delivery.deliver(points);
  return delivery.result();
}

class BatchDelivery {
  readonly #options: DeliveryOptions;
  readonly #dropped: DropCounts = {};
  readonly #messages = new Set<string>();
  #sent = 0;
  #rejected = 0;
  #stop: Stop | null = null;
  #pointLimit: number;
  #requests = 0;
  #refusedInARow = 0;

  constructor(options: DeliveryOptions) {
    this.#options = options;
    this.#pointLimit = options.pointLimit;
  }

  result(): Delivery {
    const limit = Math.max(smallestPointLimit, this.#pointLimit);
    return {
      sent: this.#sent,
      rejected: this.#rejected,
      dropped: this.#dropped,
      messages: this.#messages,
      stop: this.#stop,
      pointLimit: Math.min(limit, this.#options.pointLimit),
    };
  }

  async deliver(points: readonly Point[]): Promise<void> {
    if (points.length === 0 || this.#stop !== null) return;
    if (points.length > this.#pointLimit) return await this.#inHalves(points);
    const body = this.#options.serialize(points);
    if (body.byteLength > this.#options.maxBodyBytes && points.length > 1) {
      this.#pointLimit = Math.ceil(points.length / 2);
      return await this.#inHalves(points);
    }
    // Only the first request is worth waiting for when the receiver fails; its parts find out why.
    const tries = this.#requests === 0 ? 5 : 1;
    this.#requests++;
    const outcome = await sendPersistently(body, this.#options, tries);
    if (outcome.kind === 'stop') {
      this.#stop = outcome.stop;
    } else if (outcome.kind === 'rejected') {
      await this.#refused(points, `status ${outcome.status} ${outcome.message}`.trim());
    } else {
      this.#sent += points.length;
      this.#refusedInARow = 0;
      if (outcome.kind === 'sent') return;
      this.#rejected += Math.min(outcome.rejected, points.length);
      if (outcome.message !== '') this.#messages.add(outcome.message);
    }
  }

  async #refused(points: readonly Point[], message: string): Promise<void> {
    this.#messages.add(message);
    const reason = reasonOf(message);
    if (reason === 'too_large') this.#pointLimit = Math.ceil(points.length / 2);
    const ticks = reason === 'too_old' ? byTime(points) : [];
    const isEnough = reason !== 'too_large' && this.#requests >= maxRequests;
    if (points.length === 1 || ticks.length === 1 || isEnough) {
      this.#drop(points, reason, message);
    } else if (reason === 'too_old') {
      await this.#tickByTick(ticks);
    } else {
      await this.#inHalves(points);
    }
  }

  async #inHalves(points: readonly Point[]): Promise<void> {
    const middle = Math.ceil(points.length / 2);
    await this.deliver(points.slice(0, middle));
    await this.deliver(points.slice(middle));
  }

  // Too old is a matter of time: what comes after the first tick that is taken is new enough.
  async #tickByTick(ticks: readonly Point[][]): Promise<void> {
    for (const [index, tick] of ticks.entries()) {
      const sentBefore = this.#sent;
      await this.deliver(tick);
      if (this.#sent > sentBefore) return await this.deliver(ticks.slice(index + 1).flat());
    }
  }

  #drop(points: readonly Point[], reason: DropReason, message: string): void {
    this.#dropped[reason] = (this.#dropped[reason] ?? 0) + points.length;
    if (reason === 'too_old') return;
    this.#refusedInARow++;
    if (this.#refusedInARow < hopelessRefusals) return;
    this.#stop = {
      kind: 'failed',
      message: `the receiver refuses every point: ${message}`,
      hint: 'They stay in the file: set the receiver or OTEL_EXPORTER_OTLP_PROTOCOL right and export again.',
    };
  }
}

function reasonOf(message: string): DropReason {
  if (message.startsWith('status 413') || tooLarge.test(message)) return 'too_large';
  return tooOld.test(message) ? 'too_old' : 'refused';
}

function byTime(points: readonly Point[]): Point[][] {
  const ticks = new Map<number, Point[]>();
  for (const point of points) {
    const tick = ticks.get(point.timeUnixMs);
    if (tick === undefined) ticks.set(point.timeUnixMs, [point]);
    else tick.push(point);
  }
  return [...ticks].sort(([a], [b]) => a - b).map(([, tick]) => tick);
}
