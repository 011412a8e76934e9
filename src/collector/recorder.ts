import type { Note, OomKill, RecordingEvent } from '../model/event.ts';
import type { Sample } from '../model/sample.ts';
import type { EndReason } from '../model/session.ts';
import { ChangeDetector } from './change-detector.ts';
import type { Clock, SampleTaken, Schedule } from './sampler.ts';

/** The kernel's log, read at every tick. */
export interface KernelLog {
  read(
    nowMonotonicMs: number,
    nowUnixMs: number,
  ): { kills: readonly OomKill[]; notes: readonly Note[] };
}

export interface RecorderOptions {
  take(schedule: Schedule): SampleTaken | Promise<SampleTaken>;
  kernelLog: KernelLog | null;
  clock: Clock;
  intervalMs: number;
  /** Ends by itself after this time; null: until stopped. */
  durationMs: number | null;
  /** 1 for a new file; one more than the last for a file that is continued. */
  firstSequence: number;
  /** Gets every sample with what happened since the one before. Must not throw for a full disk. */
  write(sample: Sample, events: readonly RecordingEvent[]): void;
  /** Resolves after some ms, or at once when the signal fires. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/**
 * The loop: one tick each interval on a schedule that does not drift. A tick that comes late moves
 * none of the following; ticks that were missed are counted, never caught up in a burst.
 */
export class Recorder {
  readonly #options: RecorderOptions;
  readonly #stop = new AbortController();
  readonly #changes = new ChangeDetector();
  readonly #pending: RecordingEvent[] = [];
  #sequence: number;
  #missedTickCount = 0;
  #endReason: EndReason = 'signal';

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#sequence = options.firstSequence;
  }

  /** Ends the recording: one last tick is taken at once. */
  stop(reason: EndReason): void {
    if (this.#stop.signal.aborted) return;
    this.#endReason = reason;
    this.#stop.abort();
  }

  /** Adds an event of our own (the end of a child) to the next sample. */
  note(event: RecordingEvent): void {
    this.#pending.push(event);
  }

  /** Records until the duration is over or {@link stop} is called; gives the reason. */
  async run(): Promise<EndReason> {
    const { clock, intervalMs, durationMs, sleep } = this.#options;
    const endMs = durationMs ?? Number.POSITIVE_INFINITY;
    const lastTick = Math.ceil(endMs / intervalMs);
    const startMs = clock.monotonicMs();
    let tick = 0;
    let dueMs = 0;
    for (;;) {
      await this.#tick(Math.max(0, clock.monotonicMs() - startMs - dueMs));
      if (tick === lastTick) return 'duration';
      const elapsedMs = clock.monotonicMs() - startMs;
      const next = Math.min(lastTick, Math.max(tick + 1, Math.ceil(elapsedMs / intervalMs)));
      this.#missedTickCount += next - tick - 1;
      tick = next;
      // The last tick is on the end of the duration, also when that is no multiple of the interval.
      dueMs = Math.min(tick * intervalMs, endMs);
      await sleep(Math.max(0, startMs + dueMs - clock.monotonicMs()), this.#stop.signal);
      if (this.#stop.signal.aborted) {
        await this.#tick(0);
        return this.#endReason;
      }
    }
  }

  async #tick(latenessMs: number): Promise<void> {
    const { take, write, kernelLog, clock, intervalMs } = this.#options;
    const { sample, ended } = await take({
      sequence: this.#sequence++,
      intervalMs,
      latenessMs,
      missedTickCount: this.#missedTickCount,
    });
    const events = this.#changes.compare(sample, ended);
    if (kernelLog !== null) {
      const { kills, notes } = kernelLog.read(clock.monotonicMs(), clock.wallMs());
      events.push(...kills, ...notes);
    }
    events.push(...this.#pending.splice(0));
    write(sample, events);
  }
}

// A timer beyond this fires at once (setTimeout of Node.js).
const longestTimerMs = 2 ** 31 - 1;

/** Sleeps with a timer, 24 days at most; woken by the signal. */
export function timerSleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const wake = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', wake);
      resolve();
    };
    const timer = setTimeout(wake, Math.min(ms, longestTimerMs));
    signal.addEventListener('abort', wake, { once: true });
  });
}
