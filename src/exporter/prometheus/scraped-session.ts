import type { Recording } from '../../model/recording.ts';
import type { Tick } from '../../model/session-memory.ts';
import { agentOsMetrics } from '../agentos-metrics.ts';
import { rollupMetrics, sessionVictimsMetric, utilizationMetric } from '../metric-catalog.ts';
import type { MetricDefinition } from '../metric-definition.ts';
import { type Point, SessionPoints } from '../otlp/session-points.ts';
import { seriesKey } from './series-key.ts';

/** What is to be shown of a session at one instant. */
export interface SessionFigures {
  /** `stalled`: the recorder lives and has written nothing for some time. */
  state: 'live' | 'stalled' | 'ended';
  startedUnixMs: number;
  /** Of one that has ended: these are its figures until then, and afterwards it has none. Else null. */
  shownUntilUnixMs: number | null;
  points: readonly Point[];
}

/** How long the counters and percentiles of a session are shown after its end. */
export const lingerMs = 300_000;

// As the OTLP export: a process shows its role some seconds late, and counters cannot be taken back.
const settleMs = 5_000;
const stalledAfterMs = 30_000;
const stalledAfterIntervals = 3;
// Further behind than so many ticks, it is dearer to follow than to begin again near the end.
const defaultMostTicksBehind = 2_000;
// Enough for the last whole minute.
const nearMs = 125_000;
const ticksAtOnce = 100;

// Asked for with every second tick: a scrape shows the latest of two.
const ofVm: ReadonlySet<MetricDefinition> = new Set(agentOsMetrics);

// What is told of a closed minute, and holds until the next one is closed.
const rollups: ReadonlySet<MetricDefinition> = new Set([
  ...rollupMetrics,
  utilizationMetric,
  sessionVictimsMetric,
]);

/**
 * Follows one recording from scrape to scrape, and shows the points that the OTLP export would send:
 * of the latest settled tick, and of the last closed minute. When the session has ended, or stalls,
 * its gauges are gone; counters and percentiles stay for a while, so that a scrape that comes after
 * the end still learns of the last kill.
 */
export class ScrapedSession {
  #points: SessionPoints | null = null;
  #sequence = 0;
  #timeUnixMs: number | undefined;
  #tickPoints: readonly Point[] = [];
  #vmPointsBefore: readonly Point[] = [];
  #rollupPoints: readonly Point[] = [];
  #isClosed = false;
  readonly #mostTicksBehind: number;
  readonly #perProcess: number | null;

  /** `perProcess`: how many processes at a time have series of their own. Default: none. */
  constructor(options: { mostTicksBehind?: number; perProcess?: number | null } = {}) {
    this.#mostTicksBehind = options.mostTicksBehind ?? defaultMostTicksBehind;
    this.#perProcess = options.perProcess ?? null;
  }

  /** Null when there is nothing to show: no tick yet, or the end is long ago. */
  read(recording: Recording, nowUnixMs: number): SessionFigures | null {
    const { isLive, facts } = recording;
    const last = recording.lastTick();
    if (last === null) return null;
    const shownUntilUnixMs = isLive ? null : (facts.endedUnixMs ?? last.timeUnixMs) + lingerMs;
    if (shownUntilUnixMs !== null && nowUnixMs > shownUntilUnixMs) return null;

    this.#follow(recording, last, isLive ? nowUnixMs - settleMs : undefined);
    // A recorder may go on with a file that had ended.
    if (isLive) this.#isClosed = false;
    else this.#closeSession(recording);
    const state = isLive ? liveState(last, nowUnixMs) : 'ended';
    const ofTick = this.#tickPoints.filter(
      ({ series }) => state === 'live' || series.metric.instrument === 'counter',
    );
    return {
      state,
      startedUnixMs: facts.startedUnixMs,
      shownUntilUnixMs,
      points: latest([...ofTick, ...this.#rollupPoints]),
    };
  }

  #follow(recording: Recording, last: Tick, toUnixMs: number | undefined): void {
    if (this.#points === null || last.sequence - this.#sequence > this.#mostTicksBehind) {
      this.#points = new SessionPoints(recording.facts, {
        perProcess: this.#perProcess,
        // A third more series, for what was shown minute by minute.
        without: '1h',
      });
      this.#sequence = 0;
      this.#timeUnixMs = undefined;
      if (last.sequence > this.#mostTicksBehind) {
        const nearUnixMs = last.timeUnixMs - nearMs;
        this.#points.skip(recording, this.#passing(recording, nearUnixMs));
      }
    }
    for (;;) {
      const ticks = this.#nextTicks(recording, last, toUnixMs);
      if (ticks.length === 0) return;
      for (const points of this.#points.pointsOf(recording, ticks)) this.#take(points);
    }
  }

  *#passing(recording: Recording, toUnixMs: number): Generator<Tick> {
    for (const tick of recording.ticks()) {
      if (tick.timeUnixMs > toUnixMs) return;
      this.#moveTo(tick);
      yield tick;
    }
  }

  #nextTicks(recording: Recording, last: Tick, toUnixMs: number | undefined): Tick[] {
    if (this.#sequence >= last.sequence) return [];
    // When the clock was set back, what follows has earlier times.
    const wasSetBack = last.timeUnixMs < (this.#timeUnixMs ?? 0);
    const fromUnixMs = wasSetBack ? undefined : this.#timeUnixMs;
    const ticks: Tick[] = [];
    for (const tick of recording.ticks({
      fromUnixMs,
      toUnixMs: wasSetBack ? undefined : toUnixMs,
    })) {
      if (tick.sequence <= this.#sequence) continue;
      ticks.push(tick);
      if (ticks.length >= ticksAtOnce) break;
    }
    const end = ticks.at(-1);
    if (end !== undefined) this.#moveTo(end);
    return ticks;
  }

  #moveTo(tick: Tick): void {
    this.#sequence = tick.sequence;
    this.#timeUnixMs = tick.timeUnixMs;
  }

  #take(points: readonly Point[]): void {
    const ofMinute = points.filter(({ series }) => rollups.has(series.metric));
    if (ofMinute.length > 0) this.#rollupPoints = ofMinute;
    const ofTick =
      ofMinute.length === 0 ? points : points.filter(({ series }) => !rollups.has(series.metric));
    this.#tickPoints = [...this.#vmPointsBefore, ...ofTick];
    this.#vmPointsBefore = ofTick.filter(({ series }) => ofVm.has(series.metric));
  }

  #closeSession(recording: Recording): void {
    if (this.#isClosed || this.#points === null) return;
    this.#rollupPoints = this.#points.closingPoints(recording);
    this.#isClosed = true;
  }
}

// A series that is new is first told at 0, and then at its value.
function latest(points: readonly Point[]): Point[] {
  const bySeries = new Map<string, Point>();
  for (const point of points) bySeries.set(seriesKey(point), point);
  return [...bySeries.values()];
}

function liveState({ timeUnixMs, intervalMs }: Tick, nowUnixMs: number): 'live' | 'stalled' {
  const patienceMs = Math.max(stalledAfterMs, stalledAfterIntervals * intervalMs);
  return nowUnixMs - timeUnixMs > patienceMs ? 'stalled' : 'live';
}
