import type { ProcessRole } from '../../model/process-role.ts';
import type { Recording } from '../../model/recording.ts';
import type { SessionFacts } from '../../model/session.ts';
import { type Tick, workingSetBytes } from '../../model/session-memory.ts';
import { agentOsMetrics } from '../agentos-metrics.ts';
import type { ExponentialHistogram, Histogram } from '../histogram.ts';
import { roleMetrics, sessionVictimsMetric, utilizationMetric } from '../metric-catalog.ts';
import { type MetricDefinition, roleAttribute, valueInUnit } from '../metric-definition.ts';
import { BrowserRoles, type LivingProcess, type RoleSnapshot } from '../role-totals.ts';
import { RunningCounter } from '../running-counter.ts';
import { identityOf } from '../session-identity.ts';
import { tickMetrics } from '../tick-metrics.ts';
import { fieldReader, type TickView, viewOf } from '../tick-view.ts';
import { emptyUtilization, UtilizationHistogram } from '../utilization-histogram.ts';
import { ExponentialPoints } from './exponential-points.ts';
import { ProcessPoints } from './process-points.ts';
import { type RollupWindow, rollupPoints, windowSketches, windowsAt } from './rollup-points.ts';

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
  value: number | bigint | Histogram | ExponentialHistogram;
}

export interface SessionPointsOptions {
  /** Every distribution as an exponential histogram, too. Default: false. */
  exponential?: boolean;
  /** Series of single processes, of so many at a time; null: none. Default: null. */
  perProcess?: number | null;
  /** A stretch of the clock that is not summarised. Default: null. */
  without?: RollupWindow['name'] | null;
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
  // Known with the first tick.
  #startUnixMs = 0;
  #lastUnixMs: number | null = null;
  #largestWorkingSetBytes: number | null = null;
  readonly #utilization = new UtilizationHistogram();
  // As of the last tick; null: there was no browser so far.
  #victimCount: number | null = null;
  readonly #exponential: ExponentialPoints | null;
  readonly #processes: ProcessPoints | null;
  readonly #without: RollupWindow['name'] | null;
  // A clock that was set back goes through a minute twice; it is told once.
  readonly #toldWindows = new Set<string>();

  constructor(facts: SessionFacts, options: SessionPointsOptions = {}) {
    this.#facts = facts;
    this.#identity = identityOf(facts);
    this.#exponential = options.exponential === true ? new ExponentialPoints(this.#identity) : null;
    const { perProcess = null, without = null } = options;
    this.#without = without;
    this.#processes = perProcess === null ? null : new ProcessPoints(this.#identity, perProcess);
  }

  /** What has been left out so far, for people. */
  get notices(): readonly string[] {
    return this.#processes?.notices ?? [];
  }

  /** The points of each of these ticks, which follow on those of the call before. */
  pointsOf(recording: Recording, ticks: readonly Tick[]): Point[][] {
    const living: (readonly LivingProcess[])[] = [];
    const snapshots = this.#roles.totalsAt(recording, ticks, (processes) => living.push(processes));
    const full = recording.resolutions().find(({ resolution }) => resolution === 'ticks');
    return ticks.map((tick, index) => {
      const beforeUnixMs = this.#lastUnixMs;
      const points = this.#pointsBefore(recording, tick);
      points.push(...this.#tickPoints(tick));
      const snapshot = snapshots[index];
      if (snapshot !== undefined && snapshot.size > 0) {
        if (this.#victimCount === null) points.push(this.#victimsPoint(tick.timeUnixMs, 0));
        this.#victimCount = victimsOf(snapshot);
      }
      // Where ticks were thinned nothing is known of single processes.
      const isFull = tick.sequence >= (full?.firstSequence ?? Number.POSITIVE_INFINITY);
      if (snapshot !== undefined && isFull) {
        points.push(...this.#rolePoints(snapshot, tick.timeUnixMs, beforeUnixMs));
        const at = { unixMs: tick.timeUnixMs, startUnixMs: this.#startUnixMs };
        points.push(...(this.#processes?.pointsOf(living[index] ?? [], at) ?? []));
      }
      return points;
    });
  }

  /**
   * Goes past ticks that were delivered before; the first ones of the recording. Which processes had
   * series of their own is not found out: where that matters, ask for their points.
   */
  skip(recording: Recording, ticks: Iterable<Tick>): void {
    let closedUnixMs: number | null = null;
    for (const tick of ticks) {
      this.#begin(tick);
      const minute = this.#closeWindows(tick).find(({ name }) => name === '1m');
      closedUnixMs = minute?.endUnixMs ?? closedUnixMs;
      const view = this.#see(tick);
      for (const { counter, read } of this.#tickSeries) {
        const value = counter === null ? null : read(view);
        if (value !== null) counter?.read(value, tick.timeUnixMs);
      }
    }
    if (this.#lastUnixMs !== null) {
      const before = this.#roles.skipTo(recording, this.#lastUnixMs);
      if (before.size > 0) this.#victimCount = victimsOf(before);
      for (const role of before.keys()) {
        for (const metric of roleMetrics) this.#roleSeriesOf(metric, role);
      }
    }
    if (closedUnixMs !== null) this.#exponential?.skipTo(recording, closedUnixMs);
  }

  /** What is said once, when the recording has ended: its last minute and hour, and all of it. */
  closingPoints(recording: Recording): Point[] {
    if (this.#lastUnixMs === null) return [];
    // After the last tick, and so never at the time of the minute that this one closed.
    const timeUnixMs = this.#lastUnixMs + 1;
    const startUnixMs = this.#startUnixMs;
    const session = { name: 'session', range: {}, fromUnixMs: startUnixMs } as const;
    const series = recording.series();
    const ofSession = windowSketches(recording, { ...session, endUnixMs: timeUnixMs }, series);
    return [
      ...windowsAt(this.#lastUnixMs, this.#without).flatMap((window) => {
        const sketches = windowSketches(recording, window, series);
        return rollupPoints(sketches, { ...window, endUnixMs: timeUnixMs }, this.#identity);
      }),
      ...rollupPoints(ofSession, { ...session, endUnixMs: timeUnixMs }, this.#identity),
      ...this.#victimsPoints(timeUnixMs),
      ...this.#utilizationPoints(timeUnixMs, this.#utilization.reading()),
      ...(this.#exponential?.pointsOf(ofSession, { startUnixMs, timeUnixMs }) ?? []),
    ];
  }

  /** What is to be told before this tick is: a histogram at 0, or the minute that it closes. */
  #pointsBefore(recording: Recording, tick: Tick): Point[] {
    this.#begin(tick);
    const born = this.#utilization.isBegunBy(tick)
      ? this.#utilizationPoints(tick.timeUnixMs, emptyUtilization)
      : [];
    return [
      ...born,
      ...this.#closeWindows(tick).flatMap((window) =>
        window.name === '1m'
          ? this.#minutePoints(recording, window)
          : rollupPoints(windowSketches(recording, window), window, this.#identity),
      ),
    ];
  }

  #minutePoints(recording: Recording, minute: RollupWindow): Point[] {
    const sketches = windowSketches(recording, minute);
    const timeUnixMs = minute.endUnixMs;
    const span = { startUnixMs: this.#startUnixMs, timeUnixMs };
    return [
      ...rollupPoints(sketches, minute, this.#identity),
      ...this.#victimsPoints(timeUnixMs),
      ...this.#utilizationPoints(timeUnixMs, this.#utilization.reading()),
      ...(this.#exponential?.addMinute(sketches, span) ?? []),
    ];
  }

  // A window is closed by the first tick after it, and told about only if it had a tick.
  #closeWindows(tick: Tick): RollupWindow[] {
    if (this.#lastUnixMs === null) return [];
    return windowsAt(this.#lastUnixMs, this.#without).filter(({ name, fromUnixMs, endUnixMs }) => {
      const key = `${name} ${fromUnixMs}`;
      if (tick.timeUnixMs < endUnixMs || this.#toldWindows.has(key)) return false;
      this.#toldWindows.add(key);
      return true;
    });
  }

  #utilizationPoints(timeUnixMs: number, value: Histogram | null): Point[] {
    if (value === null) return [];
    const series = { metric: utilizationMetric, attributes: this.#identity };
    return [{ series, startUnixMs: this.#startUnixMs, timeUnixMs, value }];
  }

  #victimsPoints(timeUnixMs: number): Point[] {
    return this.#victimCount === null ? [] : [this.#victimsPoint(timeUnixMs, this.#victimCount)];
  }

  #victimsPoint(timeUnixMs: number, value: number): Point {
    const series = { metric: sessionVictimsMetric, attributes: this.#identity };
    return { series, startUnixMs: this.#startUnixMs, timeUnixMs, value };
  }

  #begin(tick: Tick): void {
    if (this.#lastUnixMs !== null) return;
    const startUnixMs = Math.min(this.#facts.startedUnixMs, tick.timeUnixMs);
    this.#startUnixMs = startUnixMs;
    this.#tickSeries = [...tickMetrics, ...agentOsMetrics].flatMap((metric) =>
      metric.series.map(({ field, attributes }) => ({
        metric,
        attributes: { ...this.#identity, ...attributes },
        counter: metric.instrument === 'counter' ? new RunningCounter(startUnixMs, null) : null,
        read: fieldReader(field),
      })),
    );
  }

  #see(tick: Tick): TickView {
    const workingSet = workingSetBytes(tick);
    if (workingSet !== null) {
      this.#largestWorkingSetBytes = Math.max(workingSet, this.#largestWorkingSetBytes ?? 0);
    }
    this.#lastUnixMs = tick.timeUnixMs;
    this.#utilization.add(tick);
    return viewOf(tick, this.#largestWorkingSetBytes);
  }

  #tickPoints(tick: Tick): Point[] {
    const view = this.#see(tick);
    const at = { unixMs: tick.timeUnixMs, startUnixMs: this.#startUnixMs };
    const points: Point[] = [];
    for (const series of this.#tickSeries) {
      const value = series.read(view);
      if (value !== null) points.push(pointOf(series, value, at));
    }
    return points;
  }

  #rolePoints(snapshot: RoleSnapshot, unixMs: number, beforeUnixMs: number | null): Point[] {
    const startUnixMs = this.#startUnixMs;
    const points: Point[] = [];
    for (const [role, totals] of snapshot) {
      for (const metric of roleMetrics) {
        const value = totals[metric.field];
        if (value === null) continue;
        const isBorn = !this.#roleSeries.has(keyOf(metric, role));
        const series = this.#roleSeriesOf(metric, role);
        // Else the first increase would be a birth: a process that is killed in its first second.
        if (isBorn && series.counter !== null && value > 0 && beforeUnixMs !== null) {
          points.push(pointOf(series, 0, { unixMs: beforeUnixMs, startUnixMs }));
        }
        points.push(pointOf(series, value, { unixMs, startUnixMs }));
      }
    }
    return points;
  }

  #roleSeriesOf(metric: MetricDefinition, role: ProcessRole): LiveSeries {
    const key = keyOf(metric, role);
    const known = this.#roleSeries.get(key);
    if (known !== undefined) return known;
    const series: LiveSeries = {
      metric,
      attributes: { ...this.#identity, [roleAttribute]: role },
      // These are counted by ourselves, from 0 at the start.
      counter: metric.instrument === 'counter' ? new RunningCounter(this.#startUnixMs, 0) : null,
    };
    this.#roleSeries.set(key, series);
    return series;
  }
}

function victimsOf(snapshot: RoleSnapshot): number {
  return [...snapshot.values()].reduce((sum, { oomVictimCount }) => sum + oomVictimCount, 0);
}

function keyOf(metric: MetricDefinition, role: ProcessRole): string {
  return `${metric.name} ${role}`;
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
    value: valueInUnit(series.metric, reading.value),
  };
}
