import type { OomKill } from '../../../model/event.ts';
import type { ProcessRecord, Recording } from '../../../model/recording.ts';
import type { TimeRange } from '../../../model/time-range.ts';
import { eachEvent } from '../event-stream.ts';
import { processesIn } from '../tables/process-table.ts';
import { instantOf } from './event-packets.ts';
import { counterPacket, instantPacket, slicePackets, trackPacket } from './trace-packet.ts';
import { processCounterId, processFigures, processTrack, processTrackId } from './tracks.ts';

/**
 * Every process: its counters, a slice from first to last sight, its end, and the kill of the kernel
 * that ended it.
 */
export function* processPackets(recording: Recording, range: TimeRange): Generator<Uint8Array> {
  const records = processesIn(recording, range);
  for (const record of records) yield* trackPackets(record, beginOf(record, range));
  const known = new KnownFigures();
  yield* samplePackets(recording, range, known);
  const kills = killsOf(recording, range);
  for (const record of records) {
    const uuid = processTrackId(record.process);
    for (const kill of kills.filter((one) => isVictim(record, one))) yield* instantOf(kill, uuid);
    const endUnixMs = record.endedUnixMs ?? record.lastUnixMs;
    const isInRange = endUnixMs <= (range.toUnixMs ?? endUnixMs);
    if (record.endedUnixMs !== null && isInRange) {
      yield* endPackets(record, record.endedUnixMs, known);
    }
    yield* slicePackets(
      uuid,
      {
        fromUnixMs: beginOf(record, range),
        toUnixMs: isInRange ? endUnixMs : (range.toUnixMs ?? endUnixMs),
      },
      { name: processTrack(record).name, category: 'process', annotations: factsOf(record) },
    );
  }
}

function beginOf({ firstUnixMs }: ProcessRecord, { fromUnixMs }: TimeRange): number {
  return Math.max(firstUnixMs, fromUnixMs ?? firstUnixMs);
}

function* trackPackets(record: ProcessRecord, unixMs: number): Generator<Uint8Array> {
  const track = processTrack(record);
  yield trackPacket(track, unixMs);
  for (const [place, { name, counter }] of processFigures.entries()) {
    const uuid = processCounterId(record.process, place);
    yield trackPacket({ uuid, name, parent: track.uuid, rank: place, counter }, unixMs);
  }
}

/** Which figures of which process were told at least once. */
class KnownFigures {
  readonly #places = new Map<number, Set<number>>();

  add(process: number, place: number): void {
    const places = this.#places.get(process);
    if (places === undefined) this.#places.set(process, new Set([place]));
    else places.add(place);
  }

  has(process: number, place: number): boolean {
    return this.#places.get(process)?.has(place) === true;
  }
}

/** The stored rows; each holds until the next one of its process. */
function* samplePackets(
  recording: Recording,
  range: TimeRange,
  known: KnownFigures,
): Generator<Uint8Array> {
  for (const sample of recording.processSamples(range)) {
    for (const [place, { figure }] of processFigures.entries()) {
      const value = sample[figure];
      if (value === null) continue;
      known.add(sample.process, place);
      yield counterPacket(processCounterId(sample.process, place), sample.timeUnixMs, value);
    }
  }
}

function killsOf(recording: Recording, range: TimeRange): OomKill[] {
  const kills: OomKill[] = [];
  for (const event of eachEvent(recording, range)) {
    if (event.kind === 'oom_kill' && !event.beforeStart) kills.push(event);
  }
  return kills;
}

// The log and the samples are read at different times.
const toleranceMs = 10_000;

function isVictim(record: ProcessRecord, { pid, comm, timeUnixMs }: OomKill): boolean {
  if (record.pid !== pid || record.comm !== comm || timeUnixMs === null) return false;
  const endUnixMs = record.endedUnixMs ?? Number.POSITIVE_INFINITY;
  return timeUnixMs >= record.firstUnixMs - toleranceMs && timeUnixMs <= endUnixMs + toleranceMs;
}

function* endPackets(
  { process, exitCode, signal }: ProcessRecord,
  unixMs: number,
  known: KnownFigures,
): Generator<Uint8Array> {
  const how = signal ?? (exitCode === null ? null : `exit code ${exitCode}`);
  yield instantPacket(processTrackId(process), unixMs, {
    name: how === null ? 'ended' : `ended: ${how}`,
    category: 'process_exit',
    annotations: { exit_code: exitCode, signal },
  });
  // What is gone holds nothing; else the last value would stay to the end of the trace.
  for (const [place, { figure }] of processFigures.entries()) {
    if (figure === 'cpuMs' || !known.has(process, place)) continue;
    yield counterPacket(processCounterId(process, place), unixMs, 0);
  }
}

function factsOf(record: ProcessRecord): Record<string, string | number | null> {
  return {
    pid: record.pid,
    parent_pid: record.parentPid,
    browser_pid: record.browserPid,
    role: record.role,
    comm: record.comm,
    command: record.command,
    cgroup: record.cgroup,
    oom_score_adj: record.oomScoreAdj,
    peak_rss_bytes: record.peakRssBytes,
    peak_pss_bytes: record.peakPssBytes,
  };
}
