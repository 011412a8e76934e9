import type { RecordingEvent } from '../../model/event.ts';
import type { EventMoment, EventSource } from '../recorder.ts';
import type { PageLines } from './page-lines.ts';

const none: readonly [] = [];
// Events stay in a file for ever: what a browser gone wild may fill it with has an end, some 8 MB.
const mostEvents = 30_000;

/** What a watcher of pages tells, as events of the recording. */
export function pageEvents(lines: Pick<PageLines, 'drain' | 'lostCount'>): EventSource {
  let keptCount = 0;
  let lostCount = 0;
  let isToldFull = false;
  const read = ({ nowUnixMs }: EventMoment): readonly RecordingEvent[] => {
    const told = lines.drain();
    const kept = told.slice(0, Math.max(0, mostEvents - keptCount));
    keptCount += kept.length;
    const events: RecordingEvent[] = [...kept];
    if (kept.length < told.length && !isToldFull) {
      isToldFull = true;
      const message = `Pages moved ${mostEvents} times: what they do from here on is not recorded`;
      events.push({ kind: 'note', timeUnixMs: nowUnixMs, code: 'pages_lost', message });
    }
    if (lines.lostCount > lostCount) {
      const message = `The watcher of pages: ${lines.lostCount - lostCount} lines were lost`;
      lostCount = lines.lostCount;
      events.push({ kind: 'note', timeUnixMs: nowUnixMs, code: 'pages_lost', message });
    }
    return events.length === 0 ? none : events;
  };
  return { read, finish: read };
}
