import type { Note } from '../model/event.ts';
import type { Sample } from '../model/sample.ts';
import { Cadence, type FastReason } from './cadence.ts';
import { OwnBudget } from './own-budget.ts';
import type { Pace } from './recorder.ts';

export interface AdaptivePaceOptions {
  intervalMs: number;
  /** Reads memory alone, for a look between two samples; null: there is none. */
  readMemory: (() => Pick<Sample, 'machine' | 'cgroup'>) | null;
  monotonicMs(): number;
}

const fastIntervalMs = 100;

const reasons: Readonly<Record<FastReason, string>> = {
  trend: 'available memory falls and would be gone within 30 s',
  growth: 'a large part of the memory went within one interval',
  pressure: 'processes wait for memory',
  low: 'less than a tenth of the memory is left',
};

/** The pace of a recording: faster while memory runs out, slower while the collector costs too much. */
export class AdaptivePace implements Pace {
  readonly #options: AdaptivePaceOptions;
  readonly #cadence: Cadence;
  readonly #budget = new OwnBudget();
  #factor = 1;

  constructor(options: AdaptivePaceOptions) {
    this.#options = options;
    this.#cadence = new Cadence({ intervalMs: options.intervalMs, fastIntervalMs });
  }

  next(sample: Sample): { intervalMs: number; notes: readonly Note[] } {
    const before = { reason: this.#cadence.reason, factor: this.#factor };
    const plannedMs = this.#cadence.next(sample);
    this.#factor = this.#budget.factor(sample);
    const intervalMs = plannedMs * this.#factor;
    const notes: Note[] = [];
    const { timeUnixMs } = sample;
    const { reason } = this.#cadence;
    if ((reason === null) !== (before.reason === null)) {
      const why = reason === null ? 'it has passed' : reasons[reason];
      const message = `a sample every ${intervalMs} ms from now on: ${why}`;
      notes.push({ kind: 'note', timeUnixMs, code: 'cadence_changed', message });
    }
    if (this.#factor !== before.factor) {
      const message = `a sample every ${intervalMs} ms from now on: the collector’s own cost`;
      notes.push({ kind: 'note', timeUnixMs, code: 'over_budget', message });
    }
    return { intervalMs, notes };
  }

  peekEveryMs(): number | null {
    return this.#options.readMemory === null ? null : this.#cadence.peekEveryMs();
  }

  isUrgent(): boolean {
    const { readMemory, monotonicMs } = this.#options;
    return readMemory !== null && this.#cadence.isAlarming(readMemory(), monotonicMs());
  }
}
