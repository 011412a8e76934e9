import type { Recording } from '../model/recording.ts';
import { availableBytes, type BriefTick } from '../model/session-memory.ts';
import type { TimeRange } from '../model/time-range.ts';

const spanMs = { minutes: 60_000, hours: 3_600_000 };

/**
 * What was available at the worst moment that a tick of this recording stands for: where ticks were
 * thinned, of the minute or the hour whose last tick it is.
 */
export function lowestAvailable(
  recording: Recording,
  range: TimeRange,
): (tick: BriefTick) => number | null {
  const lows = new Map<number, number>();
  const stretches = recording.resolutions(range);
  for (const { resolution, fromUnixMs, toUnixMs } of stretches) {
    if (resolution === 'ticks') continue;
    const series = { scope: 'session', metric: 'available' } as const;
    const windows = recording.windows(series, {
      fromUnixMs: windowOf(fromUnixMs, spanMs[resolution]),
      toUnixMs,
    });
    for (const { startUnixMs, min } of windows) lows.set(startUnixMs, min);
  }
  return (tick) => {
    const stretch = stretches.findLast(({ firstSequence }) => firstSequence <= tick.sequence);
    if (stretch === undefined || stretch.resolution === 'ticks') return availableBytes(tick);
    return lows.get(windowOf(tick.timeUnixMs, spanMs[stretch.resolution])) ?? availableBytes(tick);
  };
}

function windowOf(unixMs: number, span: number): number {
  return span * Math.floor(unixMs / span);
}
