import type { Recording } from '../../model/recording.ts';
import type { Tick } from '../../model/session-memory.ts';
import type { TimeRange } from '../../model/time-range.ts';
import { inGroups } from '../in-groups.ts';
import {
  type Batch,
  type BatchLimits,
  type Horizon,
  type ItemReader,
  inTime,
  type Position,
} from './batch.ts';
import { isExact, type OtlpEncoding } from './serialize.ts';
import { type Point, SessionPoints, type SessionPointsOptions } from './session-points.ts';

const firstGuessOfPointsPerTick = 120;
// About what the store reads at a time.
const ticksAhead = 1000;

export interface PointOptions extends SessionPointsOptions {
  encoding: OtlpEncoding;
}

/** Cuts a recording into batches of whole ticks. */
export class PointReader implements ItemReader<Point> {
  readonly #points: SessionPoints;
  readonly #encoding: OtlpEncoding;
  #sequence = 0;
  #timeUnixMs: number | undefined;
  #closed: boolean;
  // Read and not yet dealt with.
  #ahead: Tick[] = [];
  #pointsPerTick = firstGuessOfPointsPerTick;

  /** Goes past the ticks up to the position, which were delivered before; null: none were. */
  constructor(recording: Recording, from: Position | null, options: PointOptions) {
    this.#points = new SessionPoints(recording.facts, options);
    this.#encoding = options.encoding;
    this.#closed = from?.isClosed ?? false;
    if (from !== null && from.sequence > 0) this.#pass(recording, from.sequence, options);
  }

  next(recording: Recording, limits: BatchLimits, horizon: Horizon): Batch<Point> | null {
    const count = Math.max(1, Math.floor(limits.items / this.#pointsPerTick));
    this.#readAhead(recording, horizon.toUnixMs);
    const endUnixMs = (this.#ahead[0]?.timeUnixMs ?? 0) + limits.spanMs;
    const ticks = this.#takeWhile((tick, index) => index < count && tick.timeUnixMs <= endUnixMs);
    const points: Point[] = [];
    if (ticks.length > 0) {
      points.push(...this.#points.pointsOf(recording, ticks).flat());
      this.#closed = false;
      this.#pointsPerTick = Math.max(1, points.length / ticks.length);
    }
    const closesSession = horizon.ended && !this.#closed && this.#isAtEnd(recording);
    if (closesSession) {
      points.push(...this.#points.closingPoints(recording));
      this.#closed = true;
    }
    if (points.length === 0 || this.#timeUnixMs === undefined) return null;
    return {
      ...this.#sorted(points, horizon),
      sequence: this.#sequence,
      timeUnixMs: this.#timeUnixMs,
      closesSession,
      notices: this.#points.notices,
    };
  }

  #pass(recording: Recording, sequence: number, { perProcess = null }: PointOptions): void {
    const ticks = this.#passing(recording, sequence);
    if (perProcess === null) {
      this.#points.skip(recording, ticks);
    } else {
      // The processes that had series before are to have them again.
      for (const some of inGroups(ticks, ticksAhead)) this.#points.pointsOf(recording, some);
    }
  }

  *#passing(recording: Recording, sequence: number): Generator<Tick> {
    for (const tick of recording.ticks()) {
      if (tick.sequence > sequence) return;
      this.#moveTo(tick);
      yield tick;
    }
  }

  #readAhead(recording: Recording, toUnixMs: number | undefined): void {
    if (this.#ahead.length > 0 || this.#isAtEnd(recording)) return;
    this.#ahead = this.#ticksAfter(recording, { fromUnixMs: this.#timeUnixMs, toUnixMs });
    const isWaiting = this.#ahead.length === 0 && toUnixMs !== undefined;
    const isNext = this.#ahead[0]?.sequence === this.#sequence + 1;
    if (this.#timeUnixMs === undefined || isWaiting || isNext) return;
    // A hole: samples were lost, or the clock was set back and they have earlier times.
    this.#ahead = this.#ticksAfter(recording, { toUnixMs });
  }

  #ticksAfter(recording: Recording, range: TimeRange): Tick[] {
    const ticks: Tick[] = [];
    for (const tick of recording.ticks(range)) {
      if (tick.sequence <= this.#sequence) continue;
      ticks.push(tick);
      if (ticks.length >= ticksAhead) break;
    }
    return ticks;
  }

  #takeWhile(isWanted: (tick: Tick, index: number) => boolean): Tick[] {
    const end = this.#ahead.findIndex((tick, index) => !isWanted(tick, index));
    const taken = this.#ahead.splice(0, end === -1 ? this.#ahead.length : end);
    const last = taken.at(-1);
    if (last !== undefined) this.#moveTo(last);
    return taken;
  }

  #moveTo(tick: Tick): void {
    this.#sequence = tick.sequence;
    this.#timeUnixMs = tick.timeUnixMs;
  }

  #isAtEnd(recording: Recording): boolean {
    return recording.lastTick()?.sequence === this.#sequence;
  }

  #sorted(points: readonly Point[], horizon: Horizon): Pick<Batch<Point>, 'items' | 'dropped'> {
    const { items, dropped } = inTime(points, horizon);
    const exact = items.filter((point) => isExact(point, this.#encoding));
    if (exact.length < items.length) dropped.not_exact = items.length - exact.length;
    return { items: exact, dropped };
  }
}
