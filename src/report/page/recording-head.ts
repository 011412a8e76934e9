import path from 'node:path';
import type { RecordingEvent } from '../../model/event.ts';
import type { Recording } from '../../model/recording.ts';
import type { TimeRange } from '../../model/time-range.ts';
import type { RecordingHead } from './page-data.ts';

// Of a browser with churning tabs a day has tens of thousands of ends.
const mostEvents = 1_000;

/** What a page shows of a recording before all of it was read; with a range, its events are those of that. */
export function recordingHead(recording: Recording, range?: TimeRange): RecordingHead {
  const { facts } = recording;
  const events = recording.events();
  const listed = range === undefined ? events : recording.events(range);
  const shown = shownEvents(listed);
  return {
    name: path.basename(recording.path),
    id: facts.id,
    labels: facts.labels,
    isLive: recording.isLive,
    intervalMs: facts.intervalMs,
    ...spanOf(recording, events),
    gaps: gapsIn(events),
    events: shown,
    eventsLeftOut: listed.length - shown.length,
  };
}

/** From when to when a recording has samples. */
export function recordingSpan(recording: Recording): { fromUnixMs: number; toUnixMs: number } {
  return spanOf(recording, recording.events());
}

function spanOf(recording: Recording, events: readonly RecordingEvent[]) {
  const fromUnixMs = Math.min(
    firstUnixMs(recording) ?? recording.facts.startedUnixMs,
    // A clock that was set back has samples from before the first one.
    ...gapsIn(events).map(({ toUnixMs }) => toUnixMs),
  );
  const last = recording.lastTick()?.timeUnixMs ?? fromUnixMs;
  return { fromUnixMs, toUnixMs: Math.max(fromUnixMs, last) };
}

function gapsIn(events: readonly RecordingEvent[]) {
  return events.filter((event) => event.kind === 'gap');
}

// To count the samples of a day takes longer than to draw them.
function firstUnixMs(recording: Recording): number | null {
  const first = recording.firstTick();
  const isThinned = first !== null && first.sequence > 1;
  return isThinned ? (recording.resolutions()[0]?.fromUnixMs ?? null) : (first?.timeUnixMs ?? null);
}

/** All but the many ends of processes, and of these those that say most; by time, as they were. */
function shownEvents(events: readonly RecordingEvent[]): RecordingEvent[] {
  const others = events.filter(({ kind }) => kind !== 'process_exit').slice(-mostEvents);
  const told = events.filter((event) => event.kind === 'process_exit' && event.role !== 'other');
  const room = mostEvents - others.length;
  const kept = new Set([...others, ...(room > 0 ? told.slice(-room) : [])]);
  return events.filter((event) => kept.has(event));
}
