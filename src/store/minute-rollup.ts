import { processRoles } from '../model/process-role.ts';
import {
  roleMetrics,
  type Series,
  type SeriesMetric,
  type SeriesScope,
  sessionMetrics,
} from '../model/series.ts';
import {
  availableBytes,
  type Tick,
  utilizationRatio,
  workingSetBytes,
} from '../model/session-memory.ts';
import { Sketch } from '../model/sketch.ts';
import type { RoleTotals } from './role-totals.ts';
import { minuteOf } from './rollup-key.ts';

/** The distribution of one series over one minute. */
export interface SeriesRollup {
  series: Series;
  sketch: Sketch;
  /** How many ticks had the figure. */
  sampleCount: number;
}

/** A figure of the whole session in one tick; null when it is unknown. */
export function sessionFigure(tick: Tick, metric: SeriesMetric): number | null {
  switch (metric) {
    case 'working_set':
      return workingSetBytes(tick);
    case 'available':
      return availableBytes(tick);
    case 'utilization':
      return utilizationRatio(tick);
    case 'browser_unreclaimable':
      return tick.browser.unreclaimableBytes;
    case 'browser_pss':
      return tick.browser.pssEstimatedBytes;
    case 'browser_rss_sum':
      return tick.browser.rssSumBytes;
    default:
      return null;
  }
}

/** A figure of a role in one tick; null when it is unknown or the role has no process. */
export function roleFigure(total: RoleTotals, metric: SeriesMetric): number | null {
  if (total.processCount === 0) return null;
  switch (metric) {
    case 'processes':
      return total.processCount;
    case 'rss':
      return total.rssBytes;
    case 'pss':
      return total.pssBytes;
    default:
      return null;
  }
}

/** Gathers the ticks of the minute that is still open. */
export class MinuteRollup {
  #startUnixMs: number | null = null;
  #rollups = new Map<SeriesScope, Map<SeriesMetric, SeriesRollup>>();

  /** Null while nothing was added. */
  get startUnixMs(): number | null {
    return this.#startUnixMs;
  }

  add(tick: Tick, roles: readonly RoleTotals[], weightMs: number): void {
    this.#startUnixMs ??= minuteOf(tick.timeUnixMs);
    for (const metric of sessionMetrics) {
      const figure = sessionFigure(tick, metric);
      if (figure !== null) add(this.#rollup('session', metric), figure, weightMs);
    }
    for (let place = 0; place < processRoles.length; place++) {
      const role = processRoles[place];
      const total = roles[place];
      if (role === undefined || total === undefined || total.processCount === 0) continue;
      for (const metric of roleMetrics) {
        const figure = roleFigure(total, metric);
        if (figure !== null) add(this.#rollup(role, metric), figure, weightMs);
      }
    }
  }

  *series(): IterableIterator<SeriesRollup> {
    for (const ofScope of this.#rollups.values()) yield* ofScope.values();
  }

  clear(): void {
    this.#startUnixMs = null;
    this.#rollups = new Map();
  }

  #rollup(scope: SeriesScope, metric: SeriesMetric): SeriesRollup {
    let ofScope = this.#rollups.get(scope);
    if (ofScope === undefined) {
      ofScope = new Map();
      this.#rollups.set(scope, ofScope);
    }
    let rollup = ofScope.get(metric);
    if (rollup === undefined) {
      rollup = { series: { scope, metric }, sketch: new Sketch(), sampleCount: 0 };
      ofScope.set(metric, rollup);
    }
    return rollup;
  }
}

function add(rollup: SeriesRollup, figure: number, weightMs: number): void {
  // An estimate may fall below zero.
  rollup.sketch.add(Math.max(0, figure), weightMs);
  rollup.sampleCount++;
}
