import { larger } from '../../model/known-extremes.ts';
import type { ProcessRole } from '../../model/process-role.ts';
import type { ProcessSample } from '../../model/recording.ts';
import { type Growth, type GrowthPoint, growthOf } from '../growth.ts';
import type { Victim } from '../oom-victim.ts';

export interface TrackedProcess {
  pid: number;
  startTicks: number;
  role: ProcessRole;
  browserPid: number | null;
  comm: string;
}

export type TrackedReading = Pick<
  ProcessSample,
  'timeUnixMs' | 'rssBytes' | 'anonBytes' | 'pssBytes' | 'cpuMs' | 'state'
>;

/** How far back growth is looked at. */
export const growthWindowMs = 10 * 60_000;
export const rateWindowMs = 10_000;
const regrowMs = 5_000;
const leastDistanceMs = 1_000;

/** The last minutes of one process, from readings that may be sparse: each holds until the next. */
export class ProcessTrack {
  facts: TrackedProcess;
  last: TrackedReading;
  /** Last time it was seen, once it is gone. */
  lastUnixMs: number | null = null;
  /** When it was no longer there. */
  endedUnixMs: number | null = null;
  readonly #firstUnixMs: number;
  #peakRssBytes: number | null;
  #anonymous: GrowthPoint[] = [];
  #cpu: { timeUnixMs: number; cpuMs: number }[] = [];
  #pss: { bytes: number; anonBytes: number | null } | null = null;
  #growth: { atUnixMs: number; fromUnixMs: number; growth: Growth | null } | null = null;

  constructor(facts: TrackedProcess, reading: TrackedReading) {
    this.facts = facts;
    this.last = reading;
    this.#firstUnixMs = reading.timeUnixMs;
    this.#peakRssBytes = reading.rssBytes;
    this.#take(reading);
  }

  add(facts: TrackedProcess, reading: TrackedReading): void {
    // A clock that was set back: what was before has no place on the time line any more.
    if (reading.timeUnixMs < this.last.timeUnixMs) {
      this.#anonymous = [];
      this.#cpu = [];
      this.#growth = null;
    }
    this.facts = facts;
    this.last = reading;
    this.#peakRssBytes = larger(this.#peakRssBytes, reading.rssBytes);
    this.#take(reading);
  }

  /** What tells whether a kill hit it. */
  victim(): Victim {
    return {
      ...this.facts,
      firstUnixMs: this.#firstUnixMs,
      lastUnixMs: this.last.timeUnixMs,
      peakRssBytes: this.#peakRssBytes,
      exit:
        this.endedUnixMs === null
          ? null
          : { timeUnixMs: this.endedUnixMs, code: null, signal: null },
      isZombie: this.last.state === 'Z',
    };
  }

  /** The last reading of PSS, plus the change of anonymous memory since. Bytes. */
  pssBytes(): number | null {
    if (this.#pss === null) return null;
    const { bytes, anonBytes } = this.#pss;
    if (anonBytes === null || this.last.anonBytes === null) return bytes;
    return Math.max(0, bytes + this.last.anonBytes - anonBytes);
  }

  /** CPU time by time, 1 for one core; between two readings it is spread evenly. Null for one. */
  cpuRatio(nowUnixMs: number, earliestUnixMs: number): number | null {
    const first = this.#cpu[0];
    if (first === undefined) return null;
    const fromUnixMs = Math.max(nowUnixMs - rateWindowMs, earliestUnixMs, first.timeUnixMs);
    if (fromUnixMs >= nowUnixMs) return null;
    return (this.#cpuAt(nowUnixMs) - this.#cpuAt(fromUnixMs)) / (nowUnixMs - fromUnixMs);
  }

  growth(nowUnixMs: number, fromUnixMs: number): Growth | null {
    const known = this.#growth;
    const isFresh =
      known !== null &&
      known.fromUnixMs <= fromUnixMs &&
      nowUnixMs - known.atUnixMs < regrowMs &&
      nowUnixMs >= known.atUnixMs;
    if (isFresh) return known.growth;
    const growth = growthOf(this.anonymousSince(fromUnixMs), nowUnixMs);
    this.#growth = { atUnixMs: nowUnixMs, fromUnixMs, growth };
    return growth;
  }

  /** Anonymous memory from then on, beginning with what was in force. */
  anonymousSince(fromUnixMs: number): GrowthPoint[] {
    const inForce = this.#anonymous.findLast(({ timeUnixMs }) => timeUnixMs <= fromUnixMs);
    const later = this.#anonymous.filter(({ timeUnixMs }) => timeUnixMs > fromUnixMs);
    return inForce === undefined
      ? later
      : [{ timeUnixMs: fromUnixMs, bytes: inForce.bytes }, ...later];
  }

  #take({ timeUnixMs, anonBytes, pssBytes, cpuMs }: TrackedReading): void {
    if (pssBytes !== null) this.#pss = { bytes: pssBytes, anonBytes };
    this.#cpu.push({ timeUnixMs, cpuMs });
    forget(this.#cpu, timeUnixMs - rateWindowMs);
    const before = this.#anonymous.at(-1);
    const isNew =
      before === undefined ||
      (before.bytes !== anonBytes && timeUnixMs - before.timeUnixMs >= leastDistanceMs);
    if (anonBytes === null || !isNew) return;
    this.#anonymous.push({ timeUnixMs, bytes: anonBytes });
    forget(this.#anonymous, timeUnixMs - growthWindowMs);
  }

  #cpuAt(timeUnixMs: number): number {
    const next = this.#cpu.findIndex((point) => point.timeUnixMs > timeUnixMs);
    const after = this.#cpu[next];
    const before = this.#cpu[next - 1];
    if (after === undefined) return this.last.cpuMs;
    if (before === undefined) return after.cpuMs;
    const share = (timeUnixMs - before.timeUnixMs) / (after.timeUnixMs - before.timeUnixMs);
    return before.cpuMs + share * (after.cpuMs - before.cpuMs);
  }
}

/** All that was over before, but for the one that was in force then. */
function forget(points: { timeUnixMs: number }[], beforeUnixMs: number): void {
  while ((points[1]?.timeUnixMs ?? Number.POSITIVE_INFINITY) <= beforeUnixMs) points.shift();
}
