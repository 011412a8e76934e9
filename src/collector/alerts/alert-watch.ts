import { formatBytes } from '../../model/format-bytes.ts';
import type { Pressure, Sample } from '../../model/sample.ts';
import { availableBytes, sessionLimit } from '../../model/session-memory.ts';
import { MemoryTrend } from '../memory-trend.ts';

/** What a rule looks at (docs/alerts.md). */
export type AlertMetric = 'headroom' | 'time-to-limit' | 'pressure' | 'stall';

/** A bound on one figure. */
export interface AlertRule {
  /** As it was given: `headroom<200MiB`. */
  text: string;
  metric: AlertMetric;
  threshold: number;
  unit: 'bytes' | 'seconds' | 'ratio';
}

/** A rule that began to hold: one episode, up to its end. */
export interface Alert {
  rule: AlertRule;
  timeUnixMs: number;
  /** Of the rule's figure, in its unit. */
  value: number;
  availableBytes: number | null;
  limitBytes: number;
  /** Of the browser's processes the one with the most anonymous memory. */
  largest: { pid: number; role: string; anonBytes: number } | null;
  message: string;
}

export interface AlertChanges {
  began: Alert[];
  /** Rules that hold no more. */
  over: AlertRule[];
}

interface Episode {
  rule: AlertRule;
  /** Since when it holds, or has been clear again; monotonic. */
  sinceMs: number | null;
  isOn: boolean;
}

// Of a figure that jitters one reading says little; and memory that fell in one step, such as at the
// start of a program, falls no more by the time that this is over.
const holdsForMs: Readonly<Record<AlertMetric, number>> = {
  headroom: 0,
  'time-to-limit': 3_000,
  pressure: 1_000,
  stall: 1_000,
};
// An episode is over when the figure was well beyond the bound for this long.
const clearForMs = 10_000;
const recently = { windowMs: 2_000, leastMs: 0, leastPoints: 2 };
const stallWindowMs = 10_000;
// A browser that starts and loads its pages on a busy machine takes memory as steadily as one that
// leaks: an alert was seen with 70 % of the limit left.
const startingMs = 15_000;
const startingRatio = 0.5;
const leastWindowMs = 2_000;

/** Holds rules against each sample; tells the beginning and the end of each episode, once. */
export class AlertWatch {
  readonly #episodes: Episode[];
  readonly #trend = new MemoryTrend();
  readonly #recent = new MemoryTrend(recently);
  #limitBytes: number | null = null;
  #stalls: { monotonicMs: number; pressure: Pressure }[] = [];
  /** When each browser was first seen, monotonic. */
  #browsers = new Map<string, number>();

  constructor(rules: readonly AlertRule[]) {
    this.#episodes = rules.map((rule) => ({ rule, sinceMs: null, isOn: false }));
  }

  next(sample: Sample): AlertChanges {
    this.#remember(sample);
    const changes: AlertChanges = { began: [], over: [] };
    for (const episode of this.#episodes) {
      const { rule } = episode;
      const value = this.#valueOf(rule, sample);
      // Not known: nothing begins, and nothing ends.
      if (value === null || !this.#turns(episode, value, sample.monotonicMs)) continue;
      if (episode.isOn) changes.began.push(alertOf(rule, value, sample));
      else changes.over.push(rule);
    }
    return changes;
  }

  #turns(episode: Episode, value: number, nowMs: number): boolean {
    const { rule, isOn } = episode;
    if (isOn ? !isClear(rule, value) : !holds(rule, value)) {
      episode.sinceMs = null;
      return false;
    }
    episode.sinceMs ??= nowMs;
    const forMs = isOn ? clearForMs : holdsForMs[rule.metric];
    if (nowMs - episode.sinceMs < forMs) return false;
    episode.isOn = !isOn;
    episode.sinceMs = null;
    return true;
  }

  #remember(sample: Sample): void {
    const { monotonicMs, pressure } = sample;
    const available = availableBytes(sample);
    const { bytes: limitBytes } = sessionLimit(sample);
    // With another limit the waiting may be that of another cgroup, counted from another beginning.
    if (limitBytes !== this.#limitBytes) this.#stalls = [];
    this.#limitBytes = limitBytes;
    if (available !== null) {
      this.#trend.add({ monotonicMs, availableBytes: available, limitBytes });
      this.#recent.add({ monotonicMs, availableBytes: available, limitBytes });
    }
    const oldestMs = monotonicMs - stallWindowMs;
    this.#stalls = this.#stalls.filter((stall) => stall.monotonicMs >= oldestMs);
    this.#stalls.push({ monotonicMs, pressure });
    const browsers = sample.processes.filter(({ role }) => role === 'browser');
    this.#browsers = new Map(
      browsers.map(({ pid, startTicks }) => {
        const key = `${pid} ${startTicks}`;
        return [key, this.#browsers.get(key) ?? monotonicMs];
      }),
    );
  }

  #isStarting(sample: Sample, available: number): boolean {
    if (available < startingRatio * sessionLimit(sample).bytes) return false;
    const newestMs = Math.max(...this.#browsers.values());
    return sample.monotonicMs - newestMs < startingMs;
  }

  #valueOf({ metric, unit }: AlertRule, sample: Sample): number | null {
    const available = availableBytes(sample);
    switch (metric) {
      case 'headroom':
        if (available === null || unit === 'bytes') return available;
        return available / sessionLimit(sample).bytes;
      case 'time-to-limit':
        if (available === null) return null;
        if (this.#isStarting(sample, available)) return Number.POSITIVE_INFINITY;
        return Math.max(this.#trend.secondsToGo(), this.#recent.secondsToGo());
      case 'pressure':
        return this.#stallRatio('memorySomeMs');
      case 'stall':
        return this.#stallRatio('memoryFullMs');
    }
  }

  #stallRatio(kind: 'memorySomeMs' | 'memoryFullMs'): number | null {
    const first = this.#stalls[0];
    const last = this.#stalls.at(-1);
    const was = first?.pressure[kind] ?? null;
    const is = last?.pressure[kind] ?? null;
    const elapsedMs = (last?.monotonicMs ?? 0) - (first?.monotonicMs ?? 0);
    if (was === null || is === null || elapsedMs < leastWindowMs) return null;
    return Math.max(0, (is - was) / elapsedMs);
  }
}

function isAbove({ metric }: AlertRule): boolean {
  return metric === 'pressure' || metric === 'stall';
}

function holds(rule: AlertRule, value: number): boolean {
  return isAbove(rule) ? value > rule.threshold : value < rule.threshold;
}

function isClear(rule: AlertRule, value: number): boolean {
  if (isAbove(rule)) return value <= rule.threshold / 2;
  return value >= rule.threshold * (rule.metric === 'headroom' ? 1.1 : 2);
}

function alertOf(rule: AlertRule, value: number, sample: Sample): Alert {
  const available = availableBytes(sample);
  const limitBytes = sessionLimit(sample).bytes;
  const largest = largestOf(sample);
  const left = `${formatBytes(available)} of ${formatBytes(limitBytes)} left`;
  const who =
    largest === null
      ? ''
      : `; largest: ${largest.role} pid ${largest.pid}, ${formatBytes(largest.anonBytes)}`;
  const message = `${rule.text}: ${words(rule, value)}${left}${who}`;
  const { timeUnixMs } = sample;
  return { rule, timeUnixMs, value, availableBytes: available, limitBytes, largest, message };
}

function words({ metric }: AlertRule, value: number): string {
  const percent = `${Math.round(value * 100)} %`;
  if (metric === 'time-to-limit') return `in ${Math.round(value)} s at this pace nothing is left; `;
  if (metric === 'pressure') return `some process waited for memory ${percent} of the time; `;
  return metric === 'stall' ? `all processes waited for memory ${percent} of the time; ` : '';
}

function largestOf({ processes }: Sample): Alert['largest'] {
  let largest: Alert['largest'] = null;
  for (const { pid, role, anonBytes, browserPid } of processes) {
    if (browserPid === null || anonBytes === null) continue;
    if (anonBytes > (largest?.anonBytes ?? -1)) largest = { pid, role, anonBytes };
  }
  return largest;
}
