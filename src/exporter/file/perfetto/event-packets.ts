import type { RecordingEvent } from '../../../model/event.ts';
import { formatBytes } from '../../../model/format-bytes.ts';
import type { Recording } from '../../../model/recording.ts';
import type { TimeRange } from '../../../model/time-range.ts';
import { eachEvent } from '../event-stream.ts';
import { snakeCase } from '../tables/table.ts';
import { type Annotations, instantPacket, slicePackets } from './trace-packet.ts';
import { eventTrack, gapTrack } from './tracks.ts';

/** What happened, as instants; gaps as stretches of time besides, as nothing else shows their length. */
export function* eventPackets(recording: Recording, range: TimeRange): Generator<Uint8Array> {
  for (const event of eachEvent(recording, range)) {
    yield* instantOf(event, eventTrack.uuid);
    if (event.kind !== 'gap') continue;
    const name = event.gap;
    yield* slicePackets(gapTrack.uuid, event, {
      name,
      category: event.kind,
      annotations: annotationsOf(event),
    });
  }
}

/** Nothing for one of which the time is not known, or which was before the recording. */
export function* instantOf(event: RecordingEvent, uuid: number): Generator<Uint8Array> {
  const isBefore = event.kind === 'oom_kill' && event.beforeStart;
  if (event.timeUnixMs === null || isBefore) return;
  yield instantPacket(uuid, event.timeUnixMs, {
    name: nameOf(event),
    category: event.kind,
    annotations: annotationsOf(event),
  });
}

function nameOf(event: RecordingEvent): string {
  switch (event.kind) {
    case 'oom_kill':
      return `OOM kill: ${event.comm} ${event.pid}`;
    case 'process_exit':
      return `ended: ${event.role} ${event.pid}`;
    case 'gap':
      return `gap: ${event.gap}`;
    case 'limit_change':
      return `limit: ${formatBytes(event.fromBytes)} to ${formatBytes(event.toBytes)}`;
    case 'oom_counter':
      return `OOM kills counted (${event.counter}): ${event.count}`;
    case 'page':
      return `page ${event.state}: ${event.url ?? event.targetType}`;
    case 'target_crash':
      return `page ${event.status}: ${event.url ?? event.targetType}`;
    case 'guest_process':
      return `guest ${event.change}: ${event.command ?? event.processId}`;
    case 'limit_warning':
      return `limit of the VM: ${event.limit}`;
    case 'vm':
      return `VM ${event.vmId} ${event.state}`;
    case 'note':
      return event.message;
  }
}

function annotationsOf({ kind: _kind, timeUnixMs: _time, ...rest }: RecordingEvent): Annotations {
  return Object.fromEntries(Object.entries(rest).map(([key, value]) => [snakeCase(key), value]));
}
