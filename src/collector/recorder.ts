import type { Note, RecordingEvent } from '../model/event.ts';
import { longestTimerMs } from '../model/longest-timer.ts';
import type { Sample } from '../model/sample.ts';
import type { EndReason } from '../model/session.ts';
import { ChangeDetector } from './change-detector.ts';
import type { EndedProcess } from './process-table.ts';
import type { Clock, SampleTaken, Schedule } from './sampler.ts';

/** What is heard of the kernel between two samples: its log, and how processes ended. */
export interface EventSource {
  /** Events since the last call. The arguments are the two clocks at this call. */
  read(at: EventMoment): readonly RecordingEvent[];
  /** The last call: also what was still waiting for something to follow. */
  finish(at: EventMoment): readonly RecordingEvent[] | Promise<readonly RecordingEvent[]>;
}

export interface EventMoment {
  sample: Sample;
  /** Processes that were there at the sample before. */
  ended: readonly EndedProcess[];
  nowMonotonicMs: number;
  nowUnixMs: number;
}

/** When the next sample is due. */
export interface Pace {
  /** Takes a sample into account: the distance to the next one in ms, and what changed, if so. */
  next(sample: Sample): { intervalMs: number; notes: readonly Note[] };
  /** How often to look, before the next sample is due, whether one is needed at once; null: never. */
  peekEveryMs(): number | null;
  /** Looks. */
  isUrgent(): boolean;
}

export interface RecorderOptions {
  take(schedule: Schedule): SampleTaken | Promise<SampleTaken>;
  sources: readonly EventSource[];
  pace: Pace;
  clock: Clock;
  /** How long the machine has slept since boot; left out where nobody can tell. */
  suspendedMs?: () => number | null;
  /** The distance from the first sample to the second; then the pace decides. */
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
  readonly #changes: ChangeDetector;
  readonly #pending: RecordingEvent[] = [];
  #sequence: number;
  #intervalMs: number;
  #missedTickCount = 0;
  #endReason: EndReason = 'signal';

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#changes = new ChangeDetector(options.suspendedMs);
    this.#sequence = options.firstSequence;
    this.#intervalMs = options.intervalMs;
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
    const { clock, durationMs } = this.#options;
    const endMs = durationMs ?? Number.POSITIVE_INFINITY;
    const startMs = clock.monotonicMs();
    let dueMs = 0;
    for (;;) {
      const isLast = dueMs >= endMs;
      await this.#tick(startMs + dueMs, isLast);
      if (isLast) return 'duration';
      dueMs = this.#nextDueMs(dueMs, clock.monotonicMs() - startMs, endMs);
      const wokenMs = await this.#sleepUntil(startMs + dueMs);
      if (this.#stop.signal.aborted) {
        await this.#tick(clock.monotonicMs(), true);
        return this.#endReason;
      }
      if (wokenMs < startMs + dueMs) dueMs = Math.min(dueMs, wokenMs - startMs);
    }
  }

  // On the schedule, and never in the past: what could not be taken in time is missed.
  #nextDueMs(dueMs: number, elapsedMs: number, endMs: number): number {
    const late = Math.ceil((elapsedMs - dueMs) / this.#intervalMs);
    const toTheEnd = Math.ceil((endMs - dueMs) / this.#intervalMs);
    const steps = Math.min(Math.max(1, late), toTheEnd);
    this.#missedTickCount += steps - 1;
    // The last tick is on the end of the duration, also when that is no multiple of the interval.
    return Math.min(dueMs + steps * this.#intervalMs, endMs);
  }

  /** Gives when it woke: earlier than asked for when a sample is urgent. */
  async #sleepUntil(dueMs: number): Promise<number> {
    const { clock, sleep, pace } = this.#options;
    const peekMs = pace.peekEveryMs();
    for (;;) {
      const leftMs = Math.max(0, dueMs - clock.monotonicMs());
      const isSlice = peekMs !== null && leftMs > peekMs;
      await sleep(isSlice ? peekMs : leftMs, this.#stop.signal);
      if (!isSlice || this.#stop.signal.aborted) return dueMs;
      if (pace.isUrgent()) return clock.monotonicMs();
    }
  }

  async #tick(dueMonotonicMs: number, isLast: boolean): Promise<void> {
    const { take, write, sources, pace, clock } = this.#options;
    const { sample, ended } = await take({
      sequence: this.#sequence++,
      intervalMs: this.#intervalMs,
      dueMonotonicMs,
      missedTickCount: this.#missedTickCount,
    });
    const events = this.#changes.compare(sample);
    const nowMonotonicMs = clock.monotonicMs();
    const moment = { sample, ended, nowMonotonicMs, nowUnixMs: clock.wallMs() };
    for (const source of sources) {
      events.push(...(isLast ? await source.finish(moment) : source.read(moment)));
    }
    const { intervalMs, notes } = pace.next(sample);
    this.#intervalMs = intervalMs;
    events.push(...notes, ...this.#pending.splice(0));
    write(sample, events);
  }
}

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
