import type { OomKill } from '../../model/event.ts';
import type { StoredEvent } from '../../model/recording.ts';
import type { SessionFacts } from '../../model/session.ts';
import { addEvents, type EventPlace } from '../../store/added-events.ts';
import { openRecording } from '../../store/reader.ts';
import { sealFile } from '../../store/seal/seal-file.ts';
import { isSameKill, isTold } from './same-event.ts';
import type { ToldEvent } from './told-event.ts';

/** An event that telemetry told, and where it stands in the last copy of the recording. */
export interface HeardEvent {
  event: ToldEvent;
  place: EventPlace | null;
  /** When that was, by a clock that stands still for nobody, ms. */
  heardMs: number;
}

// The clocks of two readers of one log.
const startSlackMs = 2_000;
const eventsAtOnce = 1_000;

/**
 * Puts into a copy of a recording what telemetry told and the recorder did not: each event once, its
 * place noted. `isDue` says of one that has no place whether it gets one now. The copy is sealed again.
 * Errors: see {@link addEvents}.
 */
export function mergeTold(
  file: string,
  heard: readonly HeardEvent[],
  isDue: (event: HeardEvent, facts: SessionFacts) => boolean = () => true,
): void {
  const { facts, stored } = contentsOf(file);
  const own = stored.map(({ event }) => event);
  const isThere = placesIn(stored);
  const isNew = (each: HeardEvent) =>
    isSince(each.event, facts) && !isTold(each.event, own) && isDue(each, facts);
  const chosen = heard.filter((each) => (each.place === null ? isNew(each) : !isThere(each.place)));
  const killsOfRecording = killsThatCount(stored, heard, facts);
  const known = [...own];
  const events = chosen.map(({ event, place }) => {
    const isNews = !isTold(event, known);
    known.push(event);
    return { event: isNews ? event : null, place };
  });
  if (events.length === 0 && killsOfRecording.length === 0) return;
  const places = addEvents(file, { events, killsOfRecording });
  for (const [index, each] of chosen.entries()) each.place = places[index] ?? null;
  sealFile(file);
}

function contentsOf(file: string): { facts: SessionFacts; stored: StoredEvent[] } {
  using recording = openRecording(file);
  const stored: StoredEvent[] = [];
  for (;;) {
    const more = recording.storedEvents(stored.at(-1)?.row ?? 0, eventsAtOnce);
    stored.push(...more);
    if (more.length < eventsAtOnce) return { facts: recording.facts, stored };
  }
}

/**
 * Whether a place is as it was in the copy before, of which this one may be a continuation: taken by an
 * event of telemetry, or empty, as no row is that the recorder wrote.
 */
function placesIn(stored: readonly StoredEvent[]): (place: EventPlace) => boolean {
  const events = new Map(stored.map(({ row, event }) => [row, event]));
  const lastRow = stored.at(-1)?.row ?? 0;
  return ({ row }) => {
    const event = events.get(row);
    if (event === undefined) return row < lastRow;
    return event.kind === 'oom_kill'
      ? event.context === 'telemetry'
      : event.kind === 'note' && ['service_crashed', 'telemetry_lost'].includes(event.code);
  };
}

/** What was before the recording is no part of it; what was lost from then on may be. */
function isSince(event: ToldEvent, { startedUnixMs }: SessionFacts): boolean {
  const { timeUnixMs } = event;
  if (event.kind === 'note' && event.code === 'telemetry_lost') return true;
  return timeUnixMs === null || timeUnixMs >= startedUnixMs - startSlackMs;
}

/**
 * Kills while the collector was dead: the next one finds them in the kernel's log, takes them for older
 * than its recording, and telemetry tells that they are of this session.
 */
function killsThatCount(
  stored: readonly StoredEvent[],
  heard: readonly HeardEvent[],
  facts: SessionFacts,
): number[] {
  const told = heard
    .map(({ event }) => event)
    .filter((event): event is OomKill => event.kind === 'oom_kill' && isSince(event, facts));
  const kills = stored.flatMap(({ row, event }) =>
    event.kind === 'oom_kill' ? [{ row, event }] : [],
  );
  const missed = told.filter(
    (kill) => !kills.some(({ event }) => !event.beforeStart && isSameKill(kill, event)),
  );
  return missed.flatMap((kill) => {
    const found = kills.find(({ event }) => isSameKill(kill, event));
    return found === undefined ? [] : [found.row];
  });
}
