import type { Note, RecordingEvent } from '../model/event.ts';
import { gapBetween } from '../model/gap.ts';
import type { Sample } from '../model/sample.ts';
import { sessionLimit } from '../model/session-memory.ts';

/**
 * Compares each sample with the one before and says what happened in between: gaps of the clocks, a
 * new limit, kill counters that moved, sources that cannot be read.
 */
export class ChangeDetector {
  #before: Sample | null = null;
  readonly #told = new Set<string>();

  /** Events in the order in which they are noticed; empty for a quiet tick. */
  compare(sample: Sample): RecordingEvent[] {
    const before = this.#before;
    this.#before = sample;
    const events: RecordingEvent[] = [...this.#unreadable(sample)];
    if (before !== null) events.push(...changes(before, sample));
    return events;
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

function changes(before: Sample, sample: Sample): RecordingEvent[] {
  const events: RecordingEvent[] = [];
  const gap = gapBetween(before, sample, sample.intervalMs);
  if (gap !== null) events.push(gap);

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
