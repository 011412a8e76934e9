import type { RecordingEvent } from '../../model/event.ts';
import { commandEndOf, sidecarEndOf } from '../membership.ts';
import { isOutside, type OomKillContext, oomKillReports } from '../oom-kills.ts';

/**
 * Whether each kill of these events hit the session, by what the report says of it: null of one that is
 * tied to nothing.
 */
export function killsInSession(
  events: readonly RecordingEvent[],
  context: Omit<OomKillContext, 'command' | 'sidecar'>,
): Map<RecordingEvent, boolean | null> {
  const ends = { command: commandEndOf(events), sidecar: sidecarEndOf(events) };
  const { kills } = oomKillReports(events, { ...context, ...ends });
  const during = events.filter((event) => event.kind === 'oom_kill' && !event.beforeStart);
  return new Map(
    kills.flatMap((kill, index) => {
      const event = during[index];
      return event === undefined ? [] : [[event, isOutside(kill) ? false : kill.inSession || null]];
    }),
  );
}
