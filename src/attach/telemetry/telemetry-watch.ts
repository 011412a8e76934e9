import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { HeadroomError } from '../../model/errors.ts';
import type { SessionFacts } from '../../model/session.ts';
import { isAbsence, type PlatformEvent } from '../../session/platform-events.ts';
import type { Session } from '../../session/session.ts';
import { notWritable } from '../../store/not-writable.ts';
import { temporaryBeside } from '../../store/temporary-file.ts';
import { nameCopy } from '../name-copy.ts';
import { type HeardEvent, mergeTold } from './merge-told.ts';
import { lostNote, type ToldEvent, toldEvent } from './told-event.ts';

export interface TelemetryWatchOptions {
  /** Listens to what is told as it happens; else it is asked for with each copy, and nothing is open. */
  isLive: boolean;
  /** Gets what was told as it happens, and of the past as well that not all of it was taken. */
  onTold?: (event: ToldEvent) => void;
  /** Ms, of a clock that stands still for nobody. */
  now?: () => number;
  wait?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

// As long as Kernel keeps it.
const archiveMs = 30 * 86_400_000;
const reconnectMs = 10_000;
/** As often as that is asked for the past, however often is pulled. */
const pastEveryMs = 10_000;
/** A stranger may be the server; of its own Kernel keeps the last 1,024 to be heard again. */
const mostHeard = 2_048;
/** What telemetry tells at once our own recorder writes with its next samples. */
const ownDelayMs = 10_000;

/**
 * Hears what the telemetry of a session tells, and puts into the copies of its recording what the
 * recorder there did not tell itself. Where there is no telemetry, nothing happens.
 */
export class TelemetryWatch {
  readonly #platform: Session['platform'];
  readonly #options: Required<TelemetryWatchOptions>;
  readonly #heard = new Map<string, HeardEvent>();
  readonly #end = new AbortController();
  readonly #listening: Promise<void>;
  /** More was told than is taken: nobody is listened to any more. */
  #isOver = false;
  #askedMs = Number.NEGATIVE_INFINITY;

  constructor({ platform }: Pick<Session, 'platform'>, options: TelemetryWatchOptions) {
    this.#platform = platform;
    this.#options = {
      onTold: () => undefined,
      now: () => performance.now(),
      wait: waited,
      ...options,
    };
    this.#listening = options.isLive ? this.#listen() : Promise.resolve();
    // Whoever closes it hears of it.
    this.#listening.catch(() => undefined);
  }

  /**
   * To be called before a copy is made: gives what completes that copy. What was told a moment ago waits
   * for the next one, since the recorder may be about to tell it.
   */
  async beginCopy(): Promise<(copy: string) => void> {
    await this.#askForPast();
    const begunMs = this.#options.now();
    const isDue = ({ heardMs }: HeardEvent, { intervalMs }: SessionFacts) =>
      begunMs - heardMs >= ownDelayMs + 2 * intervalMs;
    return (copy) => this.#merge(copy, isDue);
  }

  /** As {@link beginCopy}, of the last copy or the only one: nothing waits. */
  async beginLastCopy(): Promise<(copy: string) => void> {
    await this.close();
    this.#askedMs = Number.NEGATIVE_INFINITY;
    await this.#askForPast();
    return (copy) => this.#merge(copy);
  }

  /**
   * Completes the last copy that there is, when no other comes; whatever ends it, it stays whole.
   * STORE_FULL, FILE_NOT_WRITABLE.
   */
  async finish(out: string): Promise<void> {
    const complete = await this.beginLastCopy();
    if (this.#heard.size === 0 || !fs.existsSync(out)) return;
    const copy = temporaryBeside(out);
    try {
      fs.copyFileSync(out, copy);
      complete(copy);
      nameCopy(copy, out);
    } catch (error) {
      throw notWritable(out, error);
    } finally {
      fs.rmSync(copy, { force: true });
    }
  }

  async close(): Promise<void> {
    this.#end.abort();
    await this.#listening;
  }

  #merge(file: string, isDue?: Parameters<typeof mergeTold>[2]): void {
    if (this.#heard.size > 0) mergeTold(file, [...this.#heard.values()], isDue);
  }

  /** Whether there was an answer. */
  async #askForPast(): Promise<boolean> {
    const nowMs = this.#options.now();
    if (this.#platform === null || this.#isOver || nowMs - this.#askedMs < pastEveryMs)
      return false;
    this.#askedMs = nowMs;
    let lastUnixMs = Date.now();
    try {
      for await (const event of this.#platform.past(lastUnixMs - archiveMs)) {
        lastUnixMs = event.timeUnixMs;
        this.#take(event);
        if (this.#isOver) break;
      }
      return true;
    } catch (error) {
      if (error instanceof RangeError) {
        this.#lose(lastUnixMs);
        return true;
      }
      // It is asked for again.
      if (!(error instanceof HeadroomError)) throw error;
      return false;
    }
  }

  async #listen(): Promise<void> {
    if (this.#platform === null) return;
    const { signal } = this.#end;
    const { onTold, wait } = this.#options;
    // A server without an archive has the last events in the stream.
    const replays = !(await this.#askForPast());
    let afterSequence: number | null = null;
    while (!signal.aborted && !this.#isOver) {
      try {
        for await (const event of this.#platform.live({ afterSequence, replays, signal })) {
          afterSequence = event.sequence;
          const told = this.#take(event);
          if (told !== null) onTold(told);
          if (this.#isOver) return;
        }
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof HeadroomError)) throw error;
        if (isAbsence(error)) return;
      }
      await wait(reconnectMs, signal);
    }
  }

  #take(event: PlatformEvent): ToldEvent | null {
    const told = toldEvent(event);
    // A server that was started again counts from one again.
    const key = `${event.timeUnixMs} ${event.type} ${JSON.stringify(told)}`;
    if (told === null || this.#heard.has(key)) return null;
    if (this.#heard.size >= mostHeard) {
      this.#lose(event.timeUnixMs);
      return null;
    }
    this.#heard.set(key, { event: told, place: null, heardMs: this.#options.now() });
    return told;
  }

  #lose(timeUnixMs: number): void {
    this.#isOver = true;
    const event = lostNote(Math.round(timeUnixMs));
    this.#heard.set(event.code, { event, place: null, heardMs: this.#options.now() });
    this.#options.onTold(event);
  }
}

/** Ends early, and without an error, when there is nothing to wait for any more. */
async function waited(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
