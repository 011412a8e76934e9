import type { RecordingEvent } from '../model/event.ts';
import type { Recording } from '../model/recording.ts';
import type { TimeRange } from '../model/time-range.ts';
import { trackBrowser } from './browser.ts';
import { trackCoverage } from './coverage.ts';
import { trackCurve } from './curve.ts';
import { trackForks } from './forks.ts';
import { trackSessionGrowth } from './growth-report.ts';
import { lowestAvailable } from './lowest-available.ts';
import { trackMemory } from './memory.ts';
import { trackPressure } from './pressure.ts';
import { trackReclaim } from './reclaim.ts';
import { trackRecorder } from './recorder-cost.ts';
import { trackSlowReadings } from './slow-readings.ts';
import { trackStalls } from './stall.ts';
import { trackLowestTick } from './usable-headroom.ts';
import { trackWarnings } from './warnings.ts';

/** Reads every tick of the range once, past all that follow them. */
export function followTicks(
  recording: Recording,
  range: TimeRange,
  events: readonly RecordingEvent[],
) {
  const coverage = trackCoverage({
    intervalMs: recording.facts.intervalMs,
    events,
    resolutions: recording.resolutions(range),
  });
  const forks = trackForks();
  const memory = trackMemory(lowestAvailable(recording, range));
  const pressure = trackPressure();
  const reclaim = trackReclaim();
  const stalls = trackStalls();
  const warnings = trackWarnings();
  const growth = trackSessionGrowth();
  const lowest = trackLowestTick();
  const curve = trackCurve();
  const browser = trackBrowser();
  const slowReadings = trackSlowReadings();
  const recorder = trackRecorder(protectionOf(recording));
  const trackers = [
    coverage,
    forks,
    memory,
    pressure,
    reclaim,
    stalls,
    warnings,
    growth,
    lowest,
    curve,
    browser,
    slowReadings,
    recorder,
  ];
  for (const tick of recording.ticks(range)) {
    for (const tracker of trackers) tracker.add(tick);
  }
  return {
    coverage: coverage.result(),
    forks: forks.result(),
    memory: memory.result(),
    pressure: pressure.result(),
    reclaim: reclaim.result(),
    stalls: stalls.result(),
    warnings: warnings.result(),
    growth: growth.result(),
    lowest: lowest.result(),
    curve: curve.result(),
    browser: browser.result(),
    slowReadings: slowReadings.result(),
    recorder: recorder.result(),
  };
}

// Noted with the first sample of a run, so that a range may not have it.
function protectionOf(recording: Recording): string | null {
  const notes = recording.events().filter((event) => event.kind === 'note');
  return notes.findLast(({ code }) => code === 'self_protection')?.message ?? null;
}
