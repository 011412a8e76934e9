import { expect } from 'vitest';
import type { Recording } from '../../src/model/recording.ts';

/**
 * What a recording must hold however late its samples came: sequence numbers without a hole, a count
 * of missed ticks that accounts for every distance, and a gap wherever it says nothing for longer
 * than two intervals and half a second (docs/metrics.md).
 */
export function expectNothingLostSilently(recording: Recording): void {
  const ticks = [...recording.ticks()];
  expect(ticks.map(({ sequence }) => sequence)).toEqual(ticks.map((_, at) => at + 1));

  const lateAt: number[] = [];
  let before = ticks[0];
  for (const tick of ticks.slice(1)) {
    if (before === undefined) throw new Error('no ticks');
    const { intervalMs, monotonicMs, collector } = tick;
    const dueMs = monotonicMs - collector.latenessMs;
    const dueBeforeMs = before.monotonicMs - before.collector.latenessMs;
    const stepCount = collector.missedTickCount - before.collector.missedTickCount + 1;
    // It may come early (memory went fast). A timer that fires some ms early has no negative lateness:
    // half an interval is room for that, and one lost tick would be a whole one.
    expect(dueMs - dueBeforeMs).toBeLessThan((stepCount + 0.5) * intervalMs);
    if (monotonicMs - before.monotonicMs > 2 * intervalMs + 500) lateAt.push(tick.timeUnixMs);
    before = tick;
  }
  const gaps = recording.events().filter((event) => event.kind === 'gap');
  expect(gaps.map(({ toUnixMs }) => toUnixMs)).toEqual(lateAt);
}

/** Samples and missed ticks: as many as the schedule had. */
export function tickCountOfSchedule(recording: Recording): number {
  const missed = recording.lastTick()?.collector.missedTickCount ?? Number.NaN;
  return recording.tickCount() + missed;
}
