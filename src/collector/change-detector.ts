import type { Gap, Note, RecordingEvent } from '../model/event.ts';
import { type ClockReading, gapBetween } from '../model/gap.ts';
import type { Sample } from '../model/sample.ts';
import { sessionLimit } from '../model/session-memory.ts';

// A wall clock is corrected by less than this in a second.
const driftMs = 50;

/**
 * Compares each sample with the one before and says what happened in between: gaps of the clocks, a
 * new limit, kill counters that moved, sources that cannot be read.
 */
export class ChangeDetector {
  readonly #readSuspendedMs: () => number | null;
  #before: Sample | null = null;
  #suspendedMs: number | null = null;
  readonly #told = new Set<string>();

  /** `readSuspendedMs`: how long the machine has slept since boot; without it nobody can tell. */
  constructor(readSuspendedMs: () => number | null = () => null) {
    this.#readSuspendedMs = readSuspendedMs;
  }

  /** Events in the order in which they are noticed; empty for a quiet tick. */
  compare(sample: Sample): RecordingEvent[] {
    const before = this.#before;
    this.#before = sample;
    const events: RecordingEvent[] = [...this.#unreadable(sample)];
    const gap = this.#gap(before, sample);
    if (gap !== null) events.push(gap);
    if (before !== null) events.push(...changes(before, sample));
    return events;
  }

  // Asked only when the wall clock went ahead: that is what a sleep looks like.
  #gap(before: Sample | null, sample: Sample): Gap | null {
    const suspendedMs = this.#suspendedMs;
    const aheadMs = before === null ? Number.POSITIVE_INFINITY : wallAhead(before, sample);
    if (aheadMs > driftMs) this.#suspendedMs = this.#readSuspendedMs();
    if (before === null) return null;
    const from = { ...clocksOf(before), suspendedMs };
    const to = { ...clocksOf(sample), suspendedMs: this.#suspendedMs };
    return gapBetween(from, to, sample.intervalMs);
  }

  // Once a source: a file that cannot be read now will not be readable a second later.
  #unreadable(sample: Sample): Note[] {
    const notes: Note[] = [];
    for (const { source, reason } of sample.unreadable) {
      if (this.#told.has(source)) continue;
      this.#told.add(source);
      notes.push({
        kind: 'note',
        timeUnixMs: sample.timeUnixMs,
        code: 'source_unreadable',
        message: `${source}: ${reason}`,
      });
    }
    return notes;
  }
}

function clocksOf({ timeUnixMs, monotonicMs }: Sample): ClockReading {
  return { timeUnixMs, monotonicMs };
}

function wallAhead(before: Sample, sample: Sample): number {
  return sample.timeUnixMs - before.timeUnixMs - (sample.monotonicMs - before.monotonicMs);
}

function changes(before: Sample, sample: Sample): RecordingEvent[] {
  const events: RecordingEvent[] = [];
  const fromBytes = sessionLimit(before).bytes;
  const toBytes = sessionLimit(sample).bytes;
  const { timeUnixMs } = sample;
  // A cgroup that could not be read for once has not lost its limit.
  const isSameSource = (before.cgroup === null) === (sample.cgroup === null);
  if (isSameSource && fromBytes !== toBytes)
    events.push({ kind: 'limit_change', timeUnixMs, fromBytes, toBytes });

  // A counter that went back is another boot or a restored snapshot, and no negative kills.
  const onMachine = increase(before.activity.oomKillCount, sample.activity.oomKillCount);
  if (onMachine > 0) {
    events.push({ kind: 'oom_counter', timeUnixMs, counter: 'machine', count: onMachine });
  }
  const isSameCgroup = before.cgroup?.path === sample.cgroup?.path;
  const inCgroup = increase(before.cgroup?.oomKillCount, sample.cgroup?.oomKillCount);
  if (isSameCgroup && inCgroup > 0) {
    events.push({ kind: 'oom_counter', timeUnixMs, counter: 'cgroup', count: inCgroup });
  }
  return events;
}

function increase(before: number | null | undefined, after: number | null | undefined): number {
  return before == null || after == null ? 0 : Math.max(0, after - before);
}
