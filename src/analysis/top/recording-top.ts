import type { ProcessRecord, Recording } from '../../model/recording.ts';
import { membershipAmong, placedProcesses, sharesMachine } from '../membership.ts';
import type { Victim } from '../oom-victim.ts';
import { growthWindowMs } from './process-track.ts';
import { isEndTold } from './top-events.ts';
import { TopState } from './top-state.ts';
import type { TopView } from './top-view.ts';

/** Every process has a row within 60 ticks (docs/schema.md). */
const heartbeatTicks = 61;
const eventsAtOnce = 1000;

/** The state of a recording at its last sample; null when there is none yet. */
export function recordingTop(recording: Recording): TopView | null {
  const lastTick = recording.lastTick();
  if (lastTick === null) return null;
  const state = new TopState();
  const toUnixMs = lastTick.timeUnixMs;
  const fromUnixMs = toUnixMs - growthWindowMs;
  for (const tick of recording.ticks({ fromUnixMs, toUnixMs })) state.addTick(tick);
  const earliestUnixMs = fromUnixMs - heartbeatTicks * lastTick.intervalMs;
  const all = placedProcesses(recording);
  const membership = membershipAmong(all);
  const session = { isMachineShared: sharesMachine(lastTick.cgroup) };
  const records = new Map(
    all
      .filter((record) => record.lastUnixMs >= fromUnixMs)
      .map((record) => [record.process, record]),
  );
  const lastStates = new Map<number, string>();
  for (const row of recording.processSamples({ fromUnixMs: earliestUnixMs, toUnixMs })) {
    const record = records.get(row.process);
    if (record === undefined) continue;
    state.addReading(String(row.process), record, row);
    lastStates.set(row.process, row.state);
  }
  for (const record of records.values()) {
    if (isGone(record, toUnixMs)) state.endProcess(String(record.process), record.lastUnixMs);
  }
  for (let afterRow = 0; ; ) {
    const events = recording.storedEvents(afterRow, eventsAtOnce);
    state.addEvents(
      events.flatMap(({ event, process }) => {
        const isEnd = event.kind === 'process_exit' && process !== null;
        const inSession = isEnd ? membership(process) : null;
        return !isEnd || isEndTold(event, { inSession, ...session }) ? { event, inSession } : [];
      }),
    );
    const last = events.at(-1);
    if (last === undefined || events.length < eventsAtOnce) break;
    afterRow = last.row;
  }
  state.placeKills(() =>
    all.map((record) => victimOf(record, { isZombie: lastStates.get(record.process) === 'Z' })),
  );
  return state.view(recording.path, stateOf(recording));
}

function victimOf(record: ProcessRecord, { isZombie }: Pick<Victim, 'isZombie'>): Victim {
  const { endedUnixMs, exitCode, signal } = record;
  const exit = endedUnixMs === null ? null : { timeUnixMs: endedUnixMs, code: exitCode, signal };
  return { ...record, exit, isZombie };
}

// A recorder that wrote on while this was read: what ended later lives in this picture.
function isGone({ endedUnixMs, lastUnixMs }: ProcessRecord, toUnixMs: number): boolean {
  return endedUnixMs !== null && lastUnixMs < toUnixMs;
}

function stateOf(recording: Recording): TopView['state'] {
  if (recording.isLive) return 'live';
  return recording.facts.endReason === 'lost' ? 'lost' : 'ended';
}
