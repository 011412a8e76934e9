import type { ProcessRole } from '../../model/process-role.ts';
import type { Recording } from '../../model/recording.ts';
import type { SessionFacts } from '../../model/session.ts';
import { type Tick, workingSetBytes } from '../../model/session-memory.ts';
import { roleMetrics } from '../metric-catalog.ts';
import { type MetricDefinition, roleAttribute } from '../metric-definition.ts';
import { BrowserRoles, type RoleSnapshot } from '../role-totals.ts';
import { RunningCounter } from '../running-counter.ts';
import { identityOf } from '../session-identity.ts';
import { tickMetrics } from '../tick-metrics.ts';
import { fieldReader, type TickView, viewOf } from '../tick-view.ts';
import { minuteMs, type RollupWindow, rollupPoints } from './rollup-points.ts';

/** One series: a metric and the attributes that tell it from the others of that metric. */
export interface PointSeries {
  metric: MetricDefinition;
  attributes: Readonly<Record<string, string>>;
}

/** One value of one series at one instant; the same instant never has two. */
export interface Point {
  series: PointSeries;
  startUnixMs: number;
  timeUnixMs: number;
  value: number | bigint;
}

interface LiveSeries extends PointSeries {
  counter: RunningCounter | null;
}

/**
 * Makes the points of one session out of its ticks, with the times at which they were recorded.
 * Goes through a recording from its beginning: counters, roles and the peak depend on what was before.
 */
export class SessionPoints {
  readonly #facts: SessionFacts;
  readonly #identity: Readonly<Record<string, string>>;
  readonly #roles = new BrowserRoles();
  readonly #roleSeries = new Map<string, LiveSeries>();
  #tickSeries: (LiveSeries & { read: (view: TickView) => number | null })[] = [];
  #startUnixMs: number | null = null;
  #lastUnixMs: number | null = null;
  #largestWorkingSetBytes: number | null = null;

  constructor(facts: SessionFacts) {
    this.#facts = facts;
    this.#identity = identityOf(facts);
  }

  /** The points of each of these ticks, which follow on those of the call before. */
  pointsOf(recording: Recording, ticks: readonly Tick[]): Point[][] {
    const before = [this.#lastUnixMs, ...ticks.map((tick) => tick.timeUnixMs)];
    return this.#follow(recording, ticks).map((points, index) => {
      const closed = closedMinute(before[index] ?? null, before[index + 1] ?? null);
      if (closed !== null) points.push(...rollupPoints(recording, closed, this.#identity));
      return points;
    });
  }

  /** Goes past ticks that were delivered before; the first ones of the recording. */
  skip(recording: Recording, ticks: Iterable<Tick>): void {
    for (const tick of ticks) {
      this.#begin(tick);
      const view = this.#see(tick);
      for (const { counter, read } of this.#tickSeries) {
        const value = counter === null ? null : read(view);
        if (value !== null) counter?.read(value, tick.timeUnixMs);
      }
    }
    if (this.#lastUnixMs !== null) this.#roles.skipTo(recording, this.#lastUnixMs);
  }

  /** What is said once, when the recording has ended: its last minute and the session as a whole. */
  closingPoints(recording: Recording): Point[] {
    const endUnixMs = this.#lastUnixMs;
    if (endUnixMs === null || this.#startUnixMs === null) return [];
    const startUnixMs = this.#startUnixMs;
    const minute = { name: '1m', fromUnixMs: minuteOf(endUnixMs), endUnixMs } as const;
    const session = { name: 'session', fromUnixMs: startUnixMs, endUnixMs } as const;
    return [minute, session].flatMap((window) => rollupPoints(recording, window, this.#identity));
  }

  #follow(recording: Recording, ticks: readonly Tick[]): Point[][] {
    const snapshots = this.#roles.totalsAt(recording, ticks);
    return ticks.map((tick, index) => {
      const startUnixMs = this.#begin(tick);
      const points = this.#tickPoints(tick, startUnixMs);
      const snapshot = snapshots[index];
      if (snapshot !== undefined) {
        points.push(...this.#rolePoints(snapshot, tick.timeUnixMs, startUnixMs));
      }
      return points;
    });
  }

  #begin(tick: Tick): number {
    if (this.#startUnixMs !== null) return this.#startUnixMs;
    const startUnixMs = Math.min(this.#facts.startedUnixMs, tick.timeUnixMs);
    this.#startUnixMs = startUnixMs;
    this.#tickSeries = tickMetrics.flatMap((metric) =>
      metric.series.map(({ field, attributes }) => ({
        metric,
        attributes: { ...this.#identity, ...attributes },
        counter: metric.instrument === 'counter' ? new RunningCounter(startUnixMs, null) : null,
        read: fieldReader(field),
      })),
    );
    return startUnixMs;
  }

  #see(tick: Tick): TickView {
    const workingSet = workingSetBytes(tick);
    if (workingSet !== null) {
      this.#largestWorkingSetBytes = Math.max(workingSet, this.#largestWorkingSetBytes ?? 0);
    }
    this.#lastUnixMs = tick.timeUnixMs;
    return viewOf(tick, this.#largestWorkingSetBytes);
  }

  #tickPoints(tick: Tick, startUnixMs: number): Point[] {
    const view = this.#see(tick);
    const at = { unixMs: tick.timeUnixMs, startUnixMs };
    const points: Point[] = [];
    for (const series of this.#tickSeries) {
      const value = series.read(view);
      if (value !== null) points.push(pointOf(series, value, at));
    }
    return points;
  }

  #rolePoints(snapshot: RoleSnapshot, unixMs: number, startUnixMs: number): Point[] {
    const points: Point[] = [];
    for (const [role, totals] of snapshot) {
      for (const metric of roleMetrics) {
        const value = totals[metric.field];
        if (value === null) continue;
        const series = this.#roleSeriesOf(metric, role, startUnixMs);
        points.push(pointOf(series, value, { unixMs, startUnixMs }));
      }
    }
    return points;
  }

  #roleSeriesOf(metric: MetricDefinition, role: ProcessRole, startUnixMs: number): LiveSeries {
    const key = `${metric.name} ${role}`;
    const known = this.#roleSeries.get(key);
    if (known !== undefined) return known;
    const series: LiveSeries = {
      metric,
      attributes: { ...this.#identity, [roleAttribute]: role },
      // These are counted by ourselves, from 0 at the start.
      counter: metric.instrument === 'counter' ? new RunningCounter(startUnixMs, 0) : null,
    };
    this.#roleSeries.set(key, series);
    return series;
  }
}

function pointOf(
  series: LiveSeries,
  value: number,
  at: { unixMs: number; startUnixMs: number },
): Point {
  const reading = series.counter?.read(value, at.unixMs) ?? { startUnixMs: at.startUnixMs, value };
  return {
    series,
    startUnixMs: reading.startUnixMs,
    timeUnixMs: at.unixMs,
    value: inUnitOf(series.metric, reading.value),
  };
}

// Everything that is in seconds on the wire is in milliseconds in the file.
function inUnitOf(metric: MetricDefinition, value: number): number {
  if (metric.unit === 's') return value / 1000;
  return metric.valueType === 'int' ? Math.round(value) : value;
}

// A minute is closed by the first tick after it, and told about only if it had a tick.
function closedMinute(beforeUnixMs: number | null, unixMs: number | null): RollupWindow | null {
  if (beforeUnixMs === null || unixMs === null) return null;
  const fromUnixMs = minuteOf(beforeUnixMs);
  if (minuteOf(unixMs) <= fromUnixMs) return null;
  return { name: '1m', fromUnixMs, endUnixMs: fromUnixMs + minuteMs };
}

function minuteOf(unixMs: number): number {
  return Math.floor(unixMs / minuteMs) * minuteMs;
}
