import type { FleetSession } from '../../model/fleet-session.ts';
import { smaller } from '../../model/known-extremes.ts';
import { Sketch } from '../../model/sketch.ts';
import { type Percentiles, percentilesOverSessions } from '../percentiles.ts';
import { shareBounds } from '../sizing/clopper-pearson.ts';

/** What a number of sessions tells together. Null is unknown, and never zero. */
export interface FleetFigures {
  sessions: number;
  firstUnixMs: number | null;
  lastUnixMs: number | null;
  /** Together. */
  recordedMs: number;
  /**
   * Over sessions, exact: the peak of each, where one that met its limit is above all others; null: that
   * is such a one, or there is none.
   */
  peakBytes: Percentiles;
  /** How many met their limit: what they needed is not known. */
  censored: number;
  /** How many still grew when their recording ended, and of how many that is not known. */
  growing: number;
  growthUnknown: number;
  /** Over time, from the merged distributions: of all time that was recorded, so much was below. */
  workingSetBytes: Percentiles;
  /** Of the limit; over time likewise. */
  utilizationRatio: Percentiles;
  /** The least that was available in any sample of any session. */
  availableMinBytes: number | null;
  oom: {
    kills: number;
    /** Sessions with a kill, and their share; between `low` and `high` it is at 95 % confidence. */
    sessions: number;
    ratio: number | null;
    low: number | null;
    high: number | null;
  };
  /** How many sessions of each verdict. */
  verdicts: Record<string, number>;
  gaps: {
    count: number;
    /** Sessions that have one. */
    sessions: number;
    missingMs: number;
    /** Of the time from the first to the last sample of each. */
    ratio: number | null;
  };
}

/** Sums up sessions one after the other, and holds none of them. */
export class FleetSum {
  readonly #workingSet = new Sketch();
  readonly #utilization = new Sketch();
  readonly #measured: number[] = [];
  #sessions = 0;
  #growing = 0;
  #growthUnknown = 0;
  #firstUnixMs: number | null = null;
  #lastUnixMs: number | null = null;
  #recordedMs = 0;
  #spanMs = 0;
  #availableMinBytes: number | null = null;
  #kills = 0;
  #killed = 0;
  readonly #verdicts = new Map<string, number>();
  #gaps = 0;
  #withGaps = 0;
  #missingMs = 0;

  add(session: FleetSession): void {
    this.#sessions++;
    this.#workingSet.merge(session.workingSetBytes);
    if (session.utilizationRatio !== null) this.#utilization.merge(session.utilizationRatio);
    if (!session.isCensored) this.#measured.push(session.demandBytes);
    if (session.growth !== null) this.#growing += session.growth.bytesPerMinute > 0 ? 1 : 0;
    else if (!session.isCensored) this.#growthUnknown++;
    this.#firstUnixMs = smaller(this.#firstUnixMs, session.startedUnixMs);
    this.#lastUnixMs = Math.max(this.#lastUnixMs ?? session.lastUnixMs, session.lastUnixMs);
    this.#recordedMs += session.recordedMs;
    this.#spanMs += Math.max(0, session.lastUnixMs - session.startedUnixMs);
    this.#availableMinBytes = smaller(this.#availableMinBytes, session.availableMinBytes);
    this.#kills += session.oomKillCount;
    this.#killed += session.oomKillCount > 0 ? 1 : 0;
    this.#verdicts.set(session.verdict, (this.#verdicts.get(session.verdict) ?? 0) + 1);
    this.#gaps += session.gapCount;
    this.#withGaps += session.gapCount > 0 ? 1 : 0;
    this.#missingMs += session.gapMs;
  }

  figures(): FleetFigures {
    const tally = { hits: this.#killed, total: this.#sessions };
    const bounds = this.#sessions === 0 ? null : shareBounds(tally, 0.95);
    return {
      sessions: this.#sessions,
      firstUnixMs: this.#firstUnixMs,
      lastUnixMs: this.#lastUnixMs,
      recordedMs: this.#recordedMs,
      peakBytes: percentilesOverSessions(
        this.#measured.toSorted((a, b) => a - b),
        this.#sessions,
      ),
      censored: this.#sessions - this.#measured.length,
      growing: this.#growing,
      growthUnknown: this.#growthUnknown,
      workingSetBytes: overTime(this.#workingSet, Math.round),
      utilizationRatio: overTime(this.#utilization, (ratio) => ratio),
      availableMinBytes: this.#availableMinBytes,
      oom: {
        kills: this.#kills,
        sessions: this.#killed,
        ratio: this.#sessions === 0 ? null : this.#killed / this.#sessions,
        low: bounds?.low ?? null,
        high: bounds?.high ?? null,
      },
      verdicts: Object.fromEntries([...this.#verdicts].sort(([, a], [, b]) => b - a)),
      gaps: {
        count: this.#gaps,
        sessions: this.#withGaps,
        missingMs: this.#missingMs,
        ratio: this.#spanMs === 0 ? null : Math.min(1, this.#missingMs / this.#spanMs),
      },
    };
  }
}

function overTime(sketch: Sketch, shown: (value: number) => number): Percentiles {
  const at = (q: number) => {
    const value = sketch.quantile(q);
    return value === null ? null : shown(value);
  };
  return { p50: at(0.5), p90: at(0.9), p95: at(0.95), p99: at(0.99), max: at(1) };
}
