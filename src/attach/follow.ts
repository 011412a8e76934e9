import { setTimeout as sleep } from 'node:timers/promises';
import { HeadroomError } from '../model/errors.ts';
import { type CollectorState, heartbeatMs } from './collector-state.ts';
import type { SessionCollector } from './session-collector.ts';
import type { StartedRecording } from './start-recording.ts';
import { stillThere } from './still-there.ts';

export type FollowEvent =
  | { kind: 'heard'; state: CollectorState }
  /** Nothing new was heard for half a minute, of a collector that runs. */
  | { kind: 'silent' }
  /** It had ended; `problem` is what it said of that. */
  | { kind: 'restarted'; problem: string | null }
  | { kind: 'trouble'; error: HeadroomError }
  | { kind: 'recovered' };

export interface FollowOptions {
  /** Come to an end: the collector is stopped, its file fetched, and all of it removed there. */
  signal: AbortSignal;
  pullEveryMs: number;
  /** How often the heartbeat is asked for; default: every ten seconds, or as often as is pulled. */
  lookEveryMs?: number;
  /** Give up when there was no contact for so long; default: never. */
  lostAfterMs?: number;
  /** Whether to wait keeps this process alive; default true. */
  keepsAlive?: boolean;
  /** Brings the recording here. */
  pull(): Promise<void>;
  onEvent(event: FollowEvent): void;
}

/** How it came to an end. */
export type FollowEnd =
  /** All of it is here, and nothing is left there. */
  | 'stopped'
  /** All of it is here; somebody else had stopped it. */
  | 'stopped_elsewhere'
  /** Another one follows it since: here is all of it until then, and it goes on. */
  | 'taken_over'
  /** Somebody else had stopped it, and fetched and removed it: here is what was pulled last. */
  | 'taken_elsewhere'
  /** The session is deleted: here is what was pulled last. */
  | 'deleted'
  /** No contact for too long: here is what was pulled last. */
  | 'lost';

const silenceMs = 3 * heartbeatMs;

/**
 * Stays with a collector: pulls its recording now and then, as a session may be deleted at any time,
 * starts it again where it died, and says what is wrong. No command is repeated that was not answered;
 * to start is safe, as the file is the lock. Throws what the last pull throws.
 */
export async function follow(
  recording: StartedRecording,
  options: FollowOptions,
): Promise<FollowEnd> {
  const { collector } = recording;
  const { signal, pullEveryMs, pull, onEvent, lostAfterMs = Number.POSITIVE_INFINITY } = options;
  const lookEveryMs = options.lookEveryMs ?? Math.min(heartbeatMs, pullEveryMs);
  const watch = new HeartbeatWatch(recording, onEvent);
  let pulledMs = performance.now();
  let contactMs = performance.now();
  let trouble: string | null = null;
  while (await waited(lookEveryMs, { signal, ref: options.keepsAlive ?? true })) {
    try {
      const isPullDue = performance.now() - pulledMs >= pullEveryMs;
      const end = await watch.look({ atProcess: isPullDue });
      // A disk here that is full is no contact that was lost.
      contactMs = performance.now();
      if (end === 'stopped_elsewhere' || end === 'taken_over') await pull();
      if (end !== null) return end;
      if (isPullDue) {
        await pull();
        pulledMs = performance.now();
      }
      if (trouble !== null) onEvent({ kind: 'recovered' });
      trouble = null;
    } catch (error) {
      if (!(error instanceof HeadroomError)) throw error;
      const end = await endBehind(collector, error);
      if (end !== null) return end;
      if (error.message !== trouble) onEvent({ kind: 'trouble', error });
      trouble = error.message;
      if (performance.now() - contactMs > lostAfterMs) return 'lost';
    }
  }
  return await finish(recording, pull);
}

/** The planned end: what another one follows is left to it. */
async function finish(
  { collector, isOurs }: StartedRecording,
  pull: FollowOptions['pull'],
): Promise<FollowEnd> {
  try {
    if (!(await isOurs())) {
      await pull();
      return 'taken_over';
    }
    await collector.stop();
    await pull().catch((error: unknown) => {
      throw stillThere(error, collector.session.name);
    });
  } catch (error) {
    const end = error instanceof HeadroomError ? await endBehind(collector, error) : null;
    if (end !== null) return end;
    throw error;
  }
  // Only now: what could not be fetched stays where it is.
  await collector.remove();
  return 'stopped';
}

/** What an error means for who follows; null when it may pass. */
async function endBehind(
  collector: SessionCollector,
  error: HeadroomError,
): Promise<FollowEnd | null> {
  if (await isGone(collector, error)) return 'deleted';
  return error.code === 'COLLECTOR_NOT_FOUND' ? 'taken_elsewhere' : null;
}

/** Whether the collector is heard of, and else whether it runs. */
class HeartbeatWatch {
  readonly #recording: StartedRecording;
  readonly #onEvent: FollowOptions['onEvent'];
  #lastUnixMs = 0;
  #heardMs = performance.now();
  #isTold = false;

  constructor(recording: StartedRecording, onEvent: FollowOptions['onEvent']) {
    this.#recording = recording;
    this.#onEvent = onEvent;
  }

  /** Not null where there is nothing to follow any more. The process is looked at when it is silent. */
  async look({ atProcess }: { atProcess: boolean }): Promise<FollowEnd | null> {
    const { collector, isOurs } = this.#recording;
    const state = await collector.state();
    if (state?.isOver === true) return 'stopped_elsewhere';
    if (!(await isOurs())) return 'taken_over';
    if (state !== null && state.lastUnixMs !== this.#lastUnixMs) {
      this.#lastUnixMs = state.lastUnixMs;
      this.#heardMs = performance.now();
      this.#isTold = false;
      this.#onEvent({ kind: 'heard', state });
    }
    const quietMs = performance.now() - this.#heardMs;
    if (!atProcess && state !== null && quietMs < 1.5 * heartbeatMs) return null;
    if ((await collector.pid()) === null) return await this.#revive();
    if (quietMs > silenceMs && !this.#isTold) {
      this.#isTold = true;
      this.#onEvent({ kind: 'silent' });
    }
    return null;
  }

  async #revive(): Promise<FollowEnd | null> {
    const { collector, restart } = this.#recording;
    const state = await collector.state();
    // It may have ended as it was asked to, since the first look.
    if (state?.isOver === true) return 'stopped_elsewhere';
    if ((await collector.request()) === null) return 'taken_elsewhere';
    const problem = await collector.problem();
    await restart();
    this.#onEvent({ kind: 'restarted', problem });
    return null;
  }
}

/** A file or a copy that is not there is a 404 as well: the session itself has to be asked. */
async function isGone(collector: SessionCollector, error: HeadroomError): Promise<boolean> {
  if (error.code !== 'SESSION_NOT_FOUND') return false;
  try {
    await collector.pid();
    return false;
  } catch (second) {
    if (!(second instanceof HeadroomError)) throw second;
    return second.code === 'SESSION_NOT_FOUND';
  }
}

/** False when it is to end. */
async function waited(
  ms: number,
  { signal, ref }: { signal: AbortSignal; ref: boolean },
): Promise<boolean> {
  try {
    await sleep(ms, undefined, { signal, ref });
    return true;
  } catch (error) {
    if (!signal.aborted) throw error;
    return false;
  }
}
