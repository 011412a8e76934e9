import type { Recording } from '../../model/recording.ts';
import type { SessionFacts } from '../../model/session.ts';
import type { Tick } from '../../model/session-memory.ts';
import type { TimeRange } from '../../model/time-range.ts';
import { isExact, type OtlpEncoding } from './serialize.ts';
import { type Point, SessionPoints } from './session-points.ts';

/**
 * Why a point was left out or given up. not_exact: not a number, or an integer that cannot be sent
 * exactly. future: later than the clock here, and a backend that takes it refuses everything after.
 * too_old: the receiver takes nothing that old. too_large: refused for its size even alone. refused:
 * refused for what it is, alone.
 */
export const dropReasons = ['not_exact', 'future', 'too_old', 'too_large', 'refused'] as const;

export type DropReason = (typeof dropReasons)[number];

export type DropCounts = Partial<Record<DropReason, number>>;

/** Whole ticks of one session, to be sent together. */
export interface Batch {
  points: Point[];
  dropped: DropCounts;
  /** Of the last tick: where the next batch begins. */
  sequence: number;
  timeUnixMs: number;
  /** It has what is said once, at the end of a session. */
  closesSession: boolean;
}

export interface BatchLimits {
  points: number;
  spanMs: number;
}

export interface Horizon {
  /** Nothing later than this belongs to the export yet. */
  toUnixMs?: number | undefined;
  /** The recording has ended: the last batch closes the session. */
  ended: boolean;
  nowUnixMs: number;
}

// Clocks of machines differ by seconds; what is ahead by more is a wrong clock.
const futureToleranceMs = 60_000;
const firstGuessOfPointsPerTick = 120;
// About what the store reads at a time.
const ticksAhead = 1000;

/**
 * Cuts a recording into batches, oldest tick first. Every call reads a bounded stretch and leaves no
 * query open behind: a live file must stay free for its recorder while a batch waits for a network.
 */
export class BatchReader {
  readonly #points: SessionPoints;
  readonly #encoding: OtlpEncoding;
  #sequence = 0;
  #timeUnixMs: number | undefined;
  #closed: boolean;
  // Read and not yet dealt with.
  #ahead: Tick[] = [];
  #pointsPerTick = firstGuessOfPointsPerTick;

  /** `closed`: the closing points were delivered before. */
  constructor(facts: SessionFacts, options: { encoding: OtlpEncoding; closed: boolean }) {
    this.#points = new SessionPoints(facts);
    this.#encoding = options.encoding;
    this.#closed = options.closed;
  }

  /** Goes past the ticks up to this one, which were delivered before. */
  skipTo(recording: Recording, sequence: number): void {
    if (sequence > 0) this.#points.skip(recording, this.#passing(recording, sequence));
  }

  /** Null when there is nothing more up to the horizon. */
  next(recording: Recording, limits: BatchLimits, horizon: Horizon): Batch | null {
    const count = Math.max(1, Math.floor(limits.points / this.#pointsPerTick));
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
      ...this.#sorted(points, horizon.nowUnixMs),
      sequence: this.#sequence,
      timeUnixMs: this.#timeUnixMs,
      closesSession,
    };
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

  #sorted(points: readonly Point[], nowUnixMs: number): Pick<Batch, 'points' | 'dropped'> {
    const inTime = points.filter((point) => point.timeUnixMs <= nowUnixMs + futureToleranceMs);
    const exact = inTime.filter((point) => isExact(point, this.#encoding));
    const dropped: DropCounts = {};
    if (inTime.length < points.length) dropped.future = points.length - inTime.length;
    if (exact.length < inTime.length) dropped.not_exact = inTime.length - exact.length;
    return { points: exact, dropped };
  }
}
