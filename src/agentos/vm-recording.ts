import { setTimeout as sleep } from 'node:timers/promises';
import type { VmSampler } from '../collector/agentos/vm-sampler.ts';
import type { VmWatch } from '../collector/agentos/vm-watch.ts';
import { kernelLogEvents } from '../collector/event-sources.ts';
import { KmsgReader } from '../collector/kmsg/kmsg-reader.ts';
import type { KernelUnits } from '../collector/procfs/machine-files.ts';
import type { ProcFs } from '../collector/procfs/proc-fs.ts';
import { readSuspendedMs } from '../collector/procfs/suspended-time.ts';
import { type EventSource, type Pace, Recorder } from '../collector/recorder.ts';
import { systemClock } from '../collector/sampler.ts';
import { HeadroomError } from '../model/errors.ts';
import type { RecordingEvent } from '../model/event.ts';
import type { EndReason } from '../model/session.ts';
import type { CloseResult, StoreWriter } from '../store/writer.ts';
import { atExit } from './at-exit.ts';

/** A recording of a VM that goes on beside the program that owns the VM. */
export interface AgentOsRecording {
  /** The file; it can be read at any time. */
  readonly path: string;
  readonly sessionId: string;
  /** Resolves when the recording is over, also because the VM is gone; never rejects. */
  readonly ended: Promise<AgentOsRecordingEnd>;
  /** Takes a last sample and ends it; the VM goes on. Call it before the VM is disposed of. */
  stop(): Promise<AgentOsRecordingEnd>;
}

export interface AgentOsRecordingEnd {
  /** `detached`: by `stop`; `deleted`: the VM was disposed of; `vm_lost`; `lost`: see `error`. */
  endReason: EndReason;
  sampleCount: number;
  /** Whether every sample that was taken is in the file, and the file where it was asked for. */
  isWhole: boolean;
  /** What broke the recording off, or kept samples from the file; null in the normal case. */
  error: unknown;
}

export interface VmRecordingParts {
  sessionId: string;
  intervalMs: number;
  units: KernelUnits;
  proc: ProcFs;
  watch: VmWatch;
  sampler: VmSampler;
  writer: StoreWriter;
}

/** The loop, from its start to the end of the file. */
export class VmRecording implements AgentOsRecording {
  readonly path: string;
  readonly sessionId: string;
  readonly ended: Promise<AgentOsRecordingEnd>;
  readonly #parts: VmRecordingParts;
  readonly #recorder: Recorder;

  constructor(parts: VmRecordingParts) {
    const { writer, sessionId, watch } = parts;
    this.path = writer.path;
    this.sessionId = sessionId;
    this.#parts = parts;
    this.#recorder = recorderOf(parts);
    watch.onEnd((end) => this.#recorder.stop(end === 'lost' ? 'vm_lost' : 'deleted'));
    this.ended = this.#run();
  }

  async stop(): Promise<AgentOsRecordingEnd> {
    this.#recorder.stop('detached');
    return await this.ended;
  }

  async #run(): Promise<AgentOsRecordingEnd> {
    const { writer, watch, sampler } = this.#parts;
    const close = (endReason: EndReason, events: readonly RecordingEvent[]) =>
      writer.close({ endedUnixMs: systemClock.wallMs(), endReason, events });
    // Nothing waits for the recording: a program that just ends has a file that ends properly, with
    // what the VM told after the last sample, such as the end that the program waited for.
    const forgetExit = atExit(() => {
      watch.close();
      close('detached', watch.take());
    });
    let endReason: EndReason = 'lost';
    let isWhole = false;
    let error: unknown = null;
    try {
      endReason = await this.#recorder.run();
    } catch (problem) {
      error = problem;
    }
    watch.close();
    sampler.close();
    forgetExit();
    try {
      const result = close(endReason, watch.take());
      isWhole = result.outcome === 'written';
      error ??= notThere(result, writer.path);
    } catch (problem) {
      error ??= problem;
    }
    return { endReason, sampleCount: writer.writtenCount, isWhole, error };
  }
}

function notThere(result: CloseResult, path: string): HeadroomError | null {
  if (result.outcome === 'written' || result.outcome === 'duplicate') return null;
  if (result.outcome === 'moved') {
    const what =
      result.missingCount > 0 ? `all but ${result.missingCount} samples are` : 'everything is';
    const message = `${path} was moved while it was recorded: ${what} in ${result.path}`;
    return new HeadroomError('FILE_NOT_WRITABLE', message);
  }
  if (result.outcome === 'in_log') {
    const message = `${path} was moved or removed while it was recorded: its newest samples are in ${result.log}`;
    return new HeadroomError('FILE_NOT_WRITABLE', message);
  }
  const code = result.reason === 'full' ? 'STORE_FULL' : 'FILE_NOT_WRITABLE';
  return new HeadroomError(code, `${path}: ${result.message}`);
}

function recorderOf({ intervalMs, units, proc, watch, sampler, writer }: VmRecordingParts) {
  const log = new KmsgReader({ startedMonotonicMs: systemClock.monotonicMs(), ...units });
  return new Recorder({
    take: (schedule) => sampler.take(schedule),
    sources: [readSeldom(kernelLogEvents(log)), vmEvents(watch)],
    pace: evenPace(intervalMs),
    clock: systemClock,
    suspendedMs: () => readSuspendedMs(proc, systemClock),
    intervalMs,
    durationMs: null,
    firstSequence: 1,
    write: (sample, events) => {
      writer.writeSample(sample, events);
      sampler.tickIsOver();
    },
    sleep: quietSleep,
  });
}

// The log is written a moment after the counter.
const ticksAfterKill = 3;
const ticksWithoutKill = 10;

/**
 * The kernel's log when its counter of kills has moved, and every ten ticks besides: to learn that there
 * is nothing in it costs a tenth of a whole tick. What it tells has times of its own.
 */
export function readSeldom(log: EventSource): EventSource {
  let killCount: number | null = null;
  let tick = 0;
  let readsUntilTick = 0;
  return {
    read(at) {
      const isMoved = at.sample.activity.oomKillCount !== killCount;
      killCount = at.sample.activity.oomKillCount;
      if (isMoved) readsUntilTick = tick + ticksAfterKill;
      const isDue = tick < readsUntilTick || tick % ticksWithoutKill === 0;
      tick++;
      return isDue ? log.read(at) : [];
    },
    finish: (at) => log.finish(at),
  };
}

function vmEvents(watch: VmWatch): EventSource {
  return {
    read: () => watch.take(),
    finish: () => {
      watch.close();
      return watch.take();
    },
  };
}

/** The VM is asked at every tick, which is too dear to be done ten times a second. */
function evenPace(intervalMs: number): Pace {
  return {
    next: () => ({ intervalMs, notes: [] }),
    peekEveryMs: () => null,
    isUrgent: () => false,
  };
}

/** Until the time has come or the signal fires; keeps no program alive. */
async function quietSleep(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { ref: false, signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
