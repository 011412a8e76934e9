import type { RecordingEvent } from '../../src/model/event.ts';
import { gapBetween } from '../../src/model/gap.ts';
import type { ProcessReading, Sample } from '../../src/model/sample.ts';
import { StoreWriter } from '../../src/store/writer.ts';
import { fakeOomKill } from './fake-sample.ts';
import { syntheticFacts, syntheticSamples } from './synthetic-session.ts';

export interface PageRecordingOptions {
  tickCount: number;
  labels: Record<string, string>;
  seed?: number;
  /** What every process calls itself, and its command line. */
  processName?: string;
  /** Beside it runs somebody else's browser: it ends at half, and the kernel kills something in another cgroup. */
  isShared?: boolean;
}

const standbyMs = 240_000;

/**
 * A recording to be looked at: after a third of it the machine sleeps for four minutes, at two thirds
 * the kernel kills a renderer.
 */
export function writePageRecording(file: string, options: PageRecordingOptions): void {
  const { tickCount, labels, seed = 1, processName, isShared = false } = options;
  const writer = StoreWriter.open(file, syntheticFacts({ labels }));
  let before: Sample | null = null;
  let kills = 0;
  for (const made of syntheticSamples({ tickCount, processCount: 24, seed })) {
    const isAwake = made.sequence > tickCount / 3;
    const sample = {
      ...made,
      timeUnixMs: made.timeUnixMs + (isAwake ? standbyMs : 0),
      processes: [
        ...made.processes.map((process) =>
          processName === undefined
            ? process
            : { ...process, comm: processName, command: processName },
        ),
        ...(isShared && made.sequence < tickCount / 2
          ? made.processes.slice(0, 1).map(foreign)
          : []),
      ],
    };
    const events: RecordingEvent[] = [];
    if (before === null) events.push(pageIn(sample));
    const gap = before === null ? null : gapBetween(before, sample, sample.intervalMs);
    if (gap !== null) events.push(gap);
    if (sample.sequence === Math.floor((2 * tickCount) / 3)) {
      kills++;
      events.push(killIn(sample, processName ?? 'chromium'));
    }
    if (isShared && sample.sequence === Math.ceil(tickCount / 2)) {
      events.push(foreignEnd(sample.timeUnixMs), foreignKill(sample.timeUnixMs));
    }
    const activity = { ...sample.activity, oomKillCount: kills };
    writer.writeSample({ ...sample, activity }, events);
    before = sample;
  }
  writer.close({ endedUnixMs: before?.timeUnixMs ?? 0, endReason: 'duration' });
}

const foreignPid = 77_001;

function foreign(browser: ProcessReading): ProcessReading {
  return { ...browser, pid: foreignPid, startTicks: foreignPid, role: 'browser', browserPid: null };
}

function foreignEnd(timeUnixMs: number): RecordingEvent {
  const unknown = { exitCode: null, signal: null, source: 'vanished' } as const;
  const identity = { pid: foreignPid, startTicks: foreignPid, role: 'browser' } as const;
  return { kind: 'process_exit', timeUnixMs, ...identity, ...unknown };
}

function foreignKill(timeUnixMs: number): RecordingEvent {
  const cgroup = '/another.slice/job.scope';
  return fakeOomKill({
    pid: 77_002,
    comm: 'cc1plus',
    timeUnixMs,
    kmsgSequence: 2,
    scope: 'cgroup',
    cgroup,
  });
}

/** The page that the browser shows in its first renderer. */
function pageIn({ processes, timeUnixMs }: Sample): RecordingEvent {
  const renderer = processes.find(({ role }) => role === 'renderer');
  return {
    kind: 'page',
    timeUnixMs,
    targetId: 'a',
    targetType: 'page',
    pageTargetId: 'a',
    url: 'https://shop.test',
    state: 'placed',
    pid: renderer?.pid ?? null,
    startTicks: renderer?.startTicks ?? null,
  };
}

function killIn({ processes, timeUnixMs }: Sample, comm: string): RecordingEvent {
  const victim = processes.find(({ role }) => role === 'renderer');
  const cgroup = '/session.slice/browser.scope';
  const pid = victim?.pid ?? 1;
  return fakeOomKill({ pid, comm, timeUnixMs, kmsgSequence: 1, scope: 'cgroup', cgroup });
}
