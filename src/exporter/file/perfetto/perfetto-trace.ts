import type { Recording } from '../../../model/recording.ts';
import type { TimeRange } from '../../../model/time-range.ts';
import { roleTicks, sessionTicks } from './counter-packets.ts';
import { eventPackets } from './event-packets.ts';
import { processPackets } from './process-packets.ts';
import { clockPackets, trackPacket } from './trace-packet.ts';
import { groupTracks, vmTrack } from './tracks.ts';

/**
 * A recording as a trace for ui.perfetto.dev and trace_processor, packet by packet: counters of the
 * session, of every role and of every process, processes from first to last sight, and what
 * happened. On the recording's own wall clock; packets are not in the order of time.
 */
export function* perfettoTrace(recording: Recording, range: TimeRange = {}): Generator<Uint8Array> {
  const [first] = recording.ticks(range);
  if (first === undefined) return;
  yield* clockPackets({ unixMs: first.timeUnixMs, monotonicMs: first.monotonicMs });
  for (const track of groupTracks) yield trackPacket(track, first.timeUnixMs);
  if (recording.facts.source === 'agentos') yield trackPacket(vmTrack, first.timeUnixMs);
  yield* eventPackets(recording, range);
  yield* sessionTicks(recording, range);
  yield* roleTicks(recording, range);
  yield* processPackets(recording, range);
}
