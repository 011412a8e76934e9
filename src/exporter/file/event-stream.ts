import type { RecordingEvent } from '../../model/event.ts';
import type { Recording } from '../../model/recording.ts';
import type { TimeRange } from '../../model/time-range.ts';

const stretchMs = 3_600_000;

/** The events of a range by time, an hour of them in memory at a time. */
export function* eachEvent(recording: Recording, range: TimeRange): Generator<RecordingEvent> {
  const { fromUnixMs = Number.NEGATIVE_INFINITY, toUnixMs = Number.POSITIVE_INFINITY } = range;
  const lastUnixMs = Math.min(toUnixMs, recording.lastTick()?.timeUnixMs ?? fromUnixMs);
  let from = fromUnixMs;
  // A kill may be from before the first tick, and the clock may have gone back: both ends are open.
  let to = (recording.firstTick()?.timeUnixMs ?? lastUnixMs) + stretchMs;
  for (; to < lastUnixMs; to += stretchMs) {
    if (to < from) continue;
    yield* recording.events({ fromUnixMs: from, toUnixMs: to });
    from = to + 1;
  }
  yield* recording.events({ fromUnixMs: from, toUnixMs });
}
