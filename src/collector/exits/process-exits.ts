import { setTimeout as sleep } from 'node:timers/promises';
import type { Note, RecordingEvent } from '../../model/event.ts';
import type { Sample } from '../../model/sample.ts';
import { RepeatedNote } from '../kmsg/repeated-note.ts';
import type { EndedProcess } from '../process-table.ts';
import type { Clock } from '../sampler.ts';
import { firstExitState, flushExits, joinExits } from './exit-join.ts';
import type { ExitWatcher } from './exit-watcher.ts';

type ExitSource = Pick<ExitWatcher, 'unavailableReason' | 'counters' | 'drain' | 'hurry' | 'close'>;

// Stopping a recording may take 100 ms.
const lastWordMs = 60;

/** How the browser's processes end, tick by tick: with the kernel's word for it where it is heard. */
export class ProcessExits {
  readonly #watcher: ExitSource | null;
  readonly #clock: Clock;
  readonly #lost = new RepeatedNote(
    'exits_lost',
    ({ count, when }) =>
      `Ends of processes went unheard: ${count} × ${when}; of those only the absence is recorded`,
  );
  #state = firstExitState;
  #lostCount = 0;
  #isUnavailableTold = false;

  /** Without a watcher (no Linux) only the absence of a process is noticed. */
  constructor(watcher: ExitSource | null, clock: Clock) {
    this.#watcher = watcher;
    this.#clock = clock;
  }

  /** The ends that are settled with this sample, and notes; call it right after the sample. */
  read(sample: Sample, ended: readonly EndedProcess[]): RecordingEvent[] {
    const drainedMonotonicMs = this.#clock.monotonicMs();
    const notices = this.#watcher?.drain(drainedMonotonicMs, this.#clock.wallMs()) ?? [];
    const isWatched = this.#watcher?.unavailableReason === null;
    const tick = { sample, ended, notices, drainedMonotonicMs, isWatched };
    const { exits, state } = joinExits(this.#state, tick);
    this.#state = state;
    this.#countLost(sample.timeUnixMs);
    // Somebody is gone, and how is not known yet: the next sample shall know it.
    if (state.waiting.length > 0) this.#watcher?.hurry();
    const notes = [this.#unavailableNote(sample.timeUnixMs), this.#lost.due(drainedMonotonicMs)];
    return [...exits, ...notes.filter((note) => note !== null)];
  }

  /**
   * In place of {@link read} with the last sample: gives the kernel a moment to tell how those ended
   * that are gone (a browser often dies right before its recording ends), then all that is known.
   */
  async readLast(sample: Sample, ended: readonly EndedProcess[]): Promise<RecordingEvent[]> {
    const events = this.read(sample, ended);
    if (this.#state.waiting.length > 0) {
      await sleep(lastWordMs);
      events.push(...this.read(sample, []));
    }
    const lost = this.#lost.rest();
    return [...events, ...flushExits(this.#state), ...(lost === null ? [] : [lost])];
  }

  close(): void {
    this.#watcher?.close();
  }

  #countLost(timeUnixMs: number): void {
    if (this.#watcher === null) return;
    const { overruns, dropped, malformed } = this.#watcher.counters;
    const lostCount = overruns + dropped + malformed;
    if (lostCount > this.#lostCount) this.#lost.add(lostCount - this.#lostCount, timeUnixMs);
    this.#lostCount = lostCount;
  }

  #unavailableNote(timeUnixMs: number): Note | null {
    const reason = this.#watcher?.unavailableReason ?? null;
    if (reason === null || this.#isUnavailableTold) return null;
    this.#isUnavailableTold = true;
    return {
      kind: 'note',
      timeUnixMs,
      code: 'exits_unavailable',
      message: `The kernel does not tell how processes end (${reason}): of those that are no children of ours only the absence is recorded`,
    };
  }
}
