import {
  leftOutAttribute,
  pidAttribute,
  roleAttribute,
  valueInUnit,
} from '../metric-definition.ts';
import { leftOutMetric, processMetrics } from '../process-metrics.ts';
import type { LivingProcess } from '../role-totals.ts';
import type { Point } from './session-points.ts';

/** So many processes of one session have series of their own, however many come and go. */
export const mostProcesses = 1000;

/**
 * Series of single processes: at each tick of the largest by RSS, and of so many over the session,
 * so that their number is bounded. Who is told depends on the ticks before: begin with the first one.
 */
export class ProcessPoints {
  readonly #identity: Readonly<Record<string, string>>;
  readonly #atOnce: number;
  readonly #told = new Set<number>();
  readonly #notices = new Set<string>();

  constructor(identity: Readonly<Record<string, string>>, atOnce: number) {
    this.#identity = identity;
    this.#atOnce = atOnce;
  }

  /** What has been left out so far, for people. */
  get notices(): readonly string[] {
    return [...this.#notices];
  }

  pointsOf(
    processes: readonly LivingProcess[],
    at: { unixMs: number; startUnixMs: number },
  ): Point[] {
    const { told, smaller, later } = this.#choose(processes);
    const leftOut = (reason: string, count: number): Point => ({
      series: {
        metric: leftOutMetric,
        attributes: { ...this.#identity, [leftOutAttribute]: reason },
      },
      startUnixMs: at.startUnixMs,
      timeUnixMs: at.unixMs,
      value: count,
    });
    return [
      ...told.flatMap((process) => this.#pointsOfOne(process, at)),
      leftOut('smaller', smaller),
      leftOut('session_limit', later),
    ];
  }

  #choose(processes: readonly LivingProcess[]) {
    // Of two with one pid the older one has ended, and its end is not known yet.
    const byPid = new Map(processes.map((process) => [process.record.pid, process]));
    const bySize = [...byPid.values()].sort((a, b) => b.rssBytes - a.rssBytes);
    const told: LivingProcess[] = [];
    let smaller = 0;
    let later = 0;
    for (const process of bySize) {
      const { process: row } = process.record;
      if (told.length >= this.#atOnce) {
        smaller++;
      } else if (this.#told.size >= mostProcesses && !this.#told.has(row)) {
        later++;
      } else {
        this.#told.add(row);
        told.push(process);
      }
    }
    if (smaller > 0) {
      this.#notices.add(
        `there were more than ${this.#atOnce} processes of the browser at a time: the largest have series of their own, the others are counted (--per-process=N)`,
      );
    }
    if (later > 0) {
      this.#notices.add(
        `${mostProcesses} processes of the session have series of their own: later ones have none, and are counted`,
      );
    }
    return { told, smaller, later };
  }

  #pointsOfOne(process: LivingProcess, at: { unixMs: number; startUnixMs: number }): Point[] {
    const { record } = process;
    const attributes = {
      ...this.#identity,
      [pidAttribute]: String(record.pid),
      [roleAttribute]: record.role,
    };
    return processMetrics.flatMap((metric) => {
      const value = process[metric.field];
      if (value === null) return [];
      return {
        series: { metric, attributes },
        // Another process with this pid is another beginning.
        startUnixMs: metric.instrument === 'counter' ? record.firstUnixMs : at.startUnixMs,
        timeUnixMs: at.unixMs,
        value: valueInUnit(metric, value),
      };
    });
  }
}
