import type { RecordingEvent } from '../../src/model/event.ts';
import type { Sample } from '../../src/model/sample.ts';
import { StoreWriter } from '../../src/store/writer.ts';
import { fakeOomKill, mib } from './fake-sample.ts';
import { syntheticFacts, syntheticSamples } from './synthetic-session.ts';

const ticksPerEvent = 5;

/** Writes a synthetic session with an event of some kind every few ticks, and kills that are counted. */
export function writeEventfulRecording(
  file: string,
  size: { tickCount: number; processCount: number },
): void {
  const writer = StoreWriter.open(file, syntheticFacts());
  let endedUnixMs = 0;
  let kills = 0;
  for (const sample of syntheticSamples(size)) {
    const events = sample.sequence % ticksPerEvent === 0 ? [eventOf(sample, kills)] : [];
    if (events.some(({ kind }) => kind === 'oom_kill')) kills++;
    const activity = { ...sample.activity, oomKillCount: kills };
    writer.writeSample({ ...sample, activity }, events);
    endedUnixMs = sample.timeUnixMs;
  }
  writer.close({ endedUnixMs, endReason: 'duration' });
}

function eventOf({ sequence, timeUnixMs, processes }: Sample, kills: number): RecordingEvent {
  const victim = processes.find(({ role }) => role === 'renderer');
  switch ((sequence / ticksPerEvent) % 3) {
    case 0:
      return { kind: 'limit_change', timeUnixMs, fromBytes: mib, toBytes: sequence * mib };
    case 1:
      return { kind: 'note', timeUnixMs, code: 'cadence_changed', message: `tick ${sequence}` };
    default:
      return fakeOomKill({
        pid: victim?.pid ?? 1,
        comm: victim?.comm ?? 'x',
        timeUnixMs,
        kmsgSequence: kills,
      });
  }
}
