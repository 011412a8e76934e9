import type { RecordingEvent } from '../model/event.ts';
import type { Recording } from '../model/recording.ts';
import type { BriefTick } from '../model/session-memory.ts';
import type { TimeRange } from '../model/time-range.ts';
import type { TickTracker } from './tick-tracker.ts';

/**
 * When the recorder found the memory cgroup of what it records, within the range: figures from before
 * are of another one. Null: from the first sample on.
 */
export function memoryStart(
  recording: Recording,
  events: readonly RecordingEvent[],
): number | null {
  const isFound = events.some((event) => event.kind === 'note' && event.code === 'cgroup_found');
  return isFound ? recording.highWater().sinceUnixMs : null;
}

/** The part of a range from there on. */
export function rangeSince(range: TimeRange, startUnixMs: number | null): TimeRange {
  if (startUnixMs === null) return range;
  return { ...range, fromUnixMs: Math.max(startUnixMs, range.fromUnixMs ?? startUnixMs) };
}

/** Gives a tracker the ticks from there on, and tells it where another cgroup's counters begin. */
export function memoryOf(
  recording: Recording,
  events: readonly RecordingEvent[],
): <Result, Seen extends BriefTick>(
  tracker: TickTracker<Result, Seen>,
) => TickTracker<Result, Seen> {
  const startUnixMs = memoryStart(recording, events) ?? Number.NEGATIVE_INFINITY;
  const moves = new Set(events.filter(isMove).map(({ timeUnixMs }) => timeUnixMs));
  return (tracker) => {
    if (moves.size === 0) return tracker;
    return {
      ...tracker,
      add(tick) {
        if (tick.timeUnixMs < startUnixMs) return;
        if (moves.has(tick.timeUnixMs)) tracker.beginAnew?.();
        tracker.add(tick);
      },
    };
  };
}

function isMove(event: RecordingEvent): boolean {
  if (event.kind !== 'note') return false;
  return event.code === 'cgroup_found' || event.code === 'cgroup_moved';
}
