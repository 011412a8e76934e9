import type { RecordingEvent } from '../model/event.ts';
import { isAnotherBoot } from '../model/gap.ts';
import type { Recording } from '../model/recording.ts';
import type { BriefTick } from '../model/session-memory.ts';
import type { TimeRange } from '../model/time-range.ts';
import { trackBrowser } from './browser.ts';
import { trackCoverage } from './coverage.ts';
import { trackCurve } from './curve.ts';
import { trackTail } from './end-growth.ts';
import { trackForks } from './forks.ts';
import { trackSessionGrowth } from './growth-report.ts';
import { lowestAvailable } from './lowest-available.ts';
import { trackMemory } from './memory.ts';
import { memoryOf } from './memory-start.ts';
import { trackPressure } from './pressure.ts';
import { trackReclaim } from './reclaim.ts';
import { trackRecorder } from './recorder-cost.ts';
import { trackSlowReadings } from './slow-readings.ts';
import { trackStalls } from './stall.ts';
import type { TickTracker } from './tick-tracker.ts';
import { trackLowestTick } from './usable-headroom.ts';
import { trackWarnings } from './warnings.ts';

/** Reads every tick of the range once, past all that follow them. */
export function followTicks(
  recording: Recording,
  range: TimeRange,
  events: readonly RecordingEvent[],
) {
  const ofMemory = memoryOf(recording, events);
  return follow(
    recording.ticks(range),
    {
      ...verdictTrackers(recording, range, events),
      forks: trackForks(),
      reclaim: trackReclaim(),
      warnings: ofMemory(trackWarnings()),
      growth: ofMemory(trackSessionGrowth()),
      tail: ofMemory(trackTail()),
      lowest: ofMemory(trackLowestTick()),
      curve: ofMemory(trackCurve()),
      recorder: trackRecorder(protectionOf(recording)),
    },
    bootTimes(events),
  );
}

/** Likewise, past those that a verdict stands on. */
export function followForVerdict(
  recording: Recording,
  range: TimeRange,
  events: readonly RecordingEvent[],
) {
  return follow(
    recording.briefTicks(range),
    verdictTrackers(recording, range, events),
    bootTimes(events),
  );
}

function verdictTrackers(
  recording: Recording,
  range: TimeRange,
  events: readonly RecordingEvent[],
) {
  const ofMemory = memoryOf(recording, events);
  return {
    coverage: trackCoverage({
      intervalMs: recording.facts.intervalMs,
      events,
      resolutions: recording.resolutions(range),
    }),
    memory: ofMemory(trackMemory(lowestAvailable(recording, range))),
    pressure: ofMemory(trackPressure()),
    stalls: ofMemory(trackStalls()),
    browser: trackBrowser(),
    slowReadings: trackSlowReadings(),
  };
}

type Trackers<Seen> = Record<string, TickTracker<unknown, Seen>>;
type Results<T extends Trackers<never>> = { [Name in keyof T]: ReturnType<T[Name]['result']> };

function follow<Seen extends BriefTick, T extends Trackers<Seen>>(
  ticks: Iterable<Seen>,
  trackers: T,
  bootTimes: ReadonlySet<number>,
): Results<T> {
  const all = Object.values(trackers);
  for (const tick of ticks) {
    if (bootTimes.has(tick.timeUnixMs)) {
      for (const tracker of all) tracker.beginAnew?.();
    }
    for (const tracker of all) tracker.add(tick);
  }
  const results = Object.entries(trackers).map(([name, tracker]) => [name, tracker.result()]);
  return Object.fromEntries(results) as Results<T>;
}

/** Of the first ticks of all boots but the first. */
export function bootTimes(events: readonly RecordingEvent[]): ReadonlySet<number> {
  const gaps = events.filter((event) => event.kind === 'gap').filter(isAnotherBoot);
  return new Set(gaps.map(({ toUnixMs }) => toUnixMs));
}

// Noted with the first sample of a run, so that a range may not have it.
function protectionOf(recording: Recording): string | null {
  const notes = recording.events().filter((event) => event.kind === 'note');
  return notes.findLast(({ code }) => code === 'self_protection')?.message ?? null;
}
