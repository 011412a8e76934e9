import { formatBytes } from '../../model/format-bytes.ts';
import type { ToldEvent } from './told-event.ts';

/** What telemetry told, for a person. May hold what the session said. */
export function toldWords(event: ToldEvent): string {
  if (event.kind === 'note') return event.message;
  const { comm, pid, rssBytes, scope } = event;
  const size = rssBytes === null ? '' : `, ${formatBytes(rssBytes)} resident`;
  return `the session's telemetry: OOM kill of ${comm}, pid ${pid}${size}, scope ${scope}`;
}
