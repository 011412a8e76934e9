import { AdaptivePace } from '../collector/adaptive-pace.ts';
import { withBrowserLog } from '../collector/chromium/browser-log.ts';
import { devShmEvents } from '../collector/dev-shm-events.ts';
import { kernelLogEvents, processExitEvents } from '../collector/event-sources.ts';
import { ExitWatcher } from '../collector/exits/exit-watcher.ts';
import { ProcessExits } from '../collector/exits/process-exits.ts';
import { KmsgReader } from '../collector/kmsg/kmsg-reader.ts';
import { type LocalTarget, localSources } from '../collector/local-sources.ts';
import { readKernelFacts, readKernelUnits } from '../collector/machine-facts.ts';
import { ProcFs } from '../collector/procfs/proc-fs.ts';
import { parseProcessStat } from '../collector/procfs/process-stat.ts';
import { readSuspendedMs } from '../collector/procfs/suspended-time.ts';
import { type EventSource, type Pace, Recorder, timerSleep } from '../collector/recorder.ts';
import { Sampler, type SampleTaken, type Schedule, systemClock } from '../collector/sampler.ts';
import { protectionWords, protectSelf, type SelfProtection } from '../collector/self-protection.ts';
import type { EarlierLog } from '../model/earlier-log.ts';
import { HeadroomError } from '../model/errors.ts';
import type { RecordingEvent } from '../model/event.ts';
import type { Sample } from '../model/sample.ts';
import type { MachineFacts, SessionFacts } from '../model/session.ts';
import { sessionLimit } from '../model/session-memory.ts';
import { headroomVersion } from '../model/version.ts';
import type { RecordOptions } from './record-options.ts';

/** What is recorded from: the kernel, or the portable libraries where there is no /proc. */
export interface SessionSource {
  machine: MachineFacts;
  take(schedule: Schedule): SampleTaken | Promise<SampleTaken>;
  /** Memory alone, for a look between two samples; null where that is dear. */
  readMemory: (() => Pick<Sample, 'machine' | 'cgroup'>) | null;
  /** What the kernel tells besides: OOM kills, how processes ended. */
  events: readonly EventSource[];
  /** How long the machine has slept since boot, ms; null where nobody can tell. */
  suspendedMs(): number | null;
  /** Protects this process from the OOM killer and in the queue for a CPU; null where it cannot. */
  protectSelf(): SelfProtection | null;
  /** With `-- CMD`: only browsers below this process are the session's. */
  followCommand(pid: number): void;
  /** Start time of a process, for its identity; null when it is gone or the system does not say. */
  startTicksOf(pid: number): number | null;
  close(): void;
}

/**
 * Opens the kernel's files, and reads once what is true of the whole session. `earlier` is what the
 * recording has of the kernel's log, when it goes on.
 */
export function openLocalSource(
  target: LocalTarget,
  earlier: EarlierLog | null = null,
): SessionSource {
  const proc = new ProcFs();
  const units = readKernelUnits(proc);
  const sources = localSources(target, units);
  const sampler = new Sampler(sources);
  const memory = sampler.readMemory();
  const limit = sessionLimit(memory);
  const startedMonotonicMs = systemClock.monotonicMs();
  return {
    machine: {
      ...readKernelFacts(proc),
      ...units,
      memoryTotalBytes: memory.machine.totalBytes,
      limitBytes: limit.bytes,
      limitSource: limit.source,
      browserVersion: null,
      sampleSource: 'proc',
    },
    take: (schedule) => sampler.take(schedule),
    readMemory: () => sampler.readMemory(),
    events: [
      kernelLogEvents(new KmsgReader({ startedMonotonicMs, earlier, ...units })),
      withBrowserLog(processExitEvents(new ProcessExits(ExitWatcher.start(), systemClock)), proc),
      devShmEvents(proc, sources.devices),
      sources.follower,
    ],
    suspendedMs: () => readSuspendedMs(proc, systemClock),
    protectSelf,
    followCommand: (pid) => {
      sampler.followCommand(pid);
      sources.follower.follow(pid);
    },
    startTicksOf: (pid) => processStartTicks(proc, pid),
    close: () => sampler.close(),
  };
}

/** The facts of a session that begins now. */
export function sessionFacts(
  options: Pick<RecordOptions, 'sessionId' | 'labels' | 'intervalMs'>,
  machine: MachineFacts,
): SessionFacts {
  return {
    id: options.sessionId,
    source: 'local',
    labels: options.labels,
    startedUnixMs: Date.now(),
    endedUnixMs: null,
    endReason: null,
    intervalMs: options.intervalMs,
    machine,
    collectorVersion: headroomVersion,
  };
}

export interface RecorderTimes extends Pick<RecordOptions, 'intervalMs' | 'durationMs'> {
  /** Default: the pace adapts to what happens. */
  paceFrom?(adaptive: Pace): Pace;
}

/** The loop over a source, with all that is heard of the kernel beside it. */
export function createRecorder(
  options: RecorderTimes,
  { source, beside }: { source: SessionSource; beside: readonly EventSource[] },
  write: (sample: Sample, events: readonly RecordingEvent[]) => void,
): Recorder {
  const adaptive = new AdaptivePace({
    intervalMs: options.intervalMs,
    readMemory: source.readMemory,
    monotonicMs: systemClock.monotonicMs,
  });
  return new Recorder({
    take: source.take,
    sources: [...source.events, ...beside],
    pace: options.paceFrom?.(adaptive) ?? adaptive,
    clock: systemClock,
    suspendedMs: source.suspendedMs,
    intervalMs: options.intervalMs,
    durationMs: options.durationMs,
    firstSequence: 1,
    write,
    sleep: timerSleep,
  });
}

/** Protects the recorder, and says so in its recording. Last of all: what is started later would inherit it. */
export function noteProtection(recorder: Recorder, source: SessionSource): void {
  const protection = source.protectSelf();
  if (protection === null) return;
  const message = protectionWords(protection);
  recorder.note({ kind: 'note', timeUnixMs: Date.now(), code: 'self_protection', message });
}

/**
 * The kernel's files; where there is no /proc (macOS), or with HEADROOM_SOURCE=portable, the
 * portable libraries, which know less and say so.
 */
export async function openSource(
  target: LocalTarget,
  env: Readonly<Record<string, string | undefined>>,
): Promise<SessionSource> {
  if (process.platform === 'linux' && env['HEADROOM_SOURCE'] !== 'portable') {
    return openLocalSource(target);
  }
  if (target.rootPid !== null) {
    throw new HeadroomError('MACHINE_UNREADABLE', '--pid needs /proc, which is not used here', {
      hint: 'Leave --pid out: Chromium processes are found by their command lines.',
    });
  }
  const { portableSource } = await import('./portable-source.ts');
  return portableSource(target);
}

function processStartTicks(proc: ProcFs, pid: number): number | null {
  const length = proc.read(`${pid}/stat`);
  if (typeof length !== 'number') return null;
  return parseProcessStat(proc.buffer, length)?.startTicks ?? null;
}
