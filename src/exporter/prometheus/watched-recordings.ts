import { setImmediate as nextTurn } from 'node:timers/promises';
import { type ErrorCode, HeadroomError } from '../../model/errors.ts';
import type { Recording } from '../../model/recording.ts';
import { openRecording, readFacts } from '../../store/reader.ts';
import { type ListedFile, listedRecordings } from './listed-recordings.ts';
import { lingerMs, ScrapedSession, type SessionFigures } from './scraped-session.ts';

/** A file of the folder as it was when last looked at. */
export interface WatchedFile {
  path: string;
  state: SessionFigures['state'] | 'unreadable';
  /** Null: it is unreadable, or ended long ago and was not worth a copy. */
  sessionId: string | null;
  figures: SessionFigures | null;
}

/** All of them at one look. */
export interface Watch {
  files: readonly WatchedFile[];
  /** How long the look took. */
  readSeconds: number;
}

export interface WatchOptions {
  /** A file that cannot be read; told once for each state of it. */
  onProblem(error: HeadroomError): void;
  /** How many processes of a session at a time have series of their own. Default: none. */
  perProcess?: number | null;
  now?: () => number;
  monotonicMs?: () => number;
  open?: (path: string) => Recording;
  /** When it fires, a look that is under way ends with what it has: nobody waits for it any more. */
  signal?: AbortSignal;
}

// What is in a file, and stays while it is not written to; permission may be given.
const lastingCodes: ReadonlySet<ErrorCode> = new Set([
  'FILE_CORRUPT',
  'FILE_EMPTY',
  'FILE_NOT_A_DATABASE',
  'FILE_NOT_A_RECORDING',
  'FILE_TOO_NEW',
]);
// A second brings no new tick: however often it is asked, the files are read once.
const freshMs = 1_000;

interface Memory {
  /** What the file looked like when all was known of it, such as that it has nothing to show. */
  settledStamp: string | null;
  /** What is known of it holds until then. */
  settledUntilUnixMs: number;
  problem: string | null;
  session: { id: string; scraped: ScrapedSession } | null;
  last: WatchedFile;
}

/** The recordings of a folder (`*.db`), or one file, from scrape to scrape. */
export class WatchedRecordings {
  readonly #source: string;
  readonly #options: Required<WatchOptions>;
  #files = new Map<string, Memory>();
  #watch: Watch | null = null;
  #watchMs = 0;
  #reading: Promise<Watch> | null = null;

  constructor(source: string, options: WatchOptions) {
    this.#source = source;
    this.#options = {
      now: Date.now,
      monotonicMs: () => performance.now(),
      open: openRecording,
      perProcess: null,
      signal: new AbortController().signal,
      ...options,
    };
  }

  /**
   * Looks at all of them, once a second at most, file by file: other requests are answered in between,
   * and who asks meanwhile gets the same look. A file is opened only while it may have something new
   * to show, and never kept open: its recorder must be able to put its log away. FILE_NOT_FOUND,
   * FILE_NOT_READABLE for the folder.
   */
  async read(): Promise<Watch> {
    const isFresh = this.#options.monotonicMs() - this.#watchMs < freshMs;
    if (this.#watch !== null && isFresh) return this.#watch;
    this.#reading ??= this.#readAll().finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  /**
   * Looks at each before anybody asks; who asks has the rest read. Errors: those of {@link read}.
   */
  async readAhead(): Promise<void> {
    for (const file of listedRecordings(this.#source)) {
      await nextTurn();
      if (this.#options.signal.aborted || this.#reading !== null || this.#watch !== null) return;
      this.#files.set(file.path, this.#look(file, this.#files.get(file.path)));
    }
  }

  async #readAll(): Promise<Watch> {
    const startMs = this.#options.monotonicMs();
    const files = new Map<string, Memory>();
    for (const file of listedRecordings(this.#source)) {
      await nextTurn();
      if (this.#options.signal.aborted) break;
      files.set(file.path, this.#look(file, this.#files.get(file.path)));
    }
    this.#files = files;
    this.#watchMs = startMs;
    this.#watch = {
      files: [...files.values()].map(({ last }) => last),
      readSeconds: (this.#options.monotonicMs() - startMs) / 1000,
    };
    return this.#watch;
  }

  #look(file: ListedFile, before: Memory | undefined): Memory {
    const nowUnixMs = this.#options.now();
    const isSettled = before?.settledStamp === file.stamp && nowUnixMs <= before.settledUntilUnixMs;
    if (isSettled) return before;
    const isOld = !file.hasLog && nowUnixMs - file.changedUnixMs > lingerMs;
    const ended: WatchedFile = { path: file.path, state: 'ended', sessionId: null, figures: null };
    const problem = before?.problem ?? null;
    try {
      if (!isOld || problem !== null) return this.#open(file, before);
      const sessionId = readFacts(file.path)?.id ?? null;
      return {
        settledStamp: file.stamp,
        settledUntilUnixMs: Infinity,
        problem: null,
        session: null,
        last: { ...ended, sessionId },
      };
    } catch (error) {
      if (!(error instanceof HeadroomError)) throw error;
      if (problem !== error.message) this.#options.onProblem(error);
      return {
        settledStamp: isOld && lastingCodes.has(error.code) ? file.stamp : null,
        settledUntilUnixMs: Infinity,
        problem: error.message,
        // A file that is read again goes on where it was.
        session: before?.session ?? null,
        last: { ...ended, state: 'unreadable' },
      };
    }
  }

  #open({ path, stamp }: ListedFile, before: Memory | undefined): Memory {
    using recording = this.#options.open(path);
    const { id } = recording.facts;
    const { perProcess } = this.#options;
    const session =
      before?.session?.id === id
        ? before.session
        : { id, scraped: new ScrapedSession({ perProcess }) };
    const figures = session.scraped.read(recording, this.#options.now());
    const state = figures?.state ?? (recording.isLive ? 'live' : 'ended');
    const isOver = state === 'ended';
    return {
      // One that is over needs no second look: its figures stay as they are while it is shown.
      settledStamp: isOver ? stamp : null,
      settledUntilUnixMs: figures?.shownUntilUnixMs ?? Infinity,
      problem: null,
      session: isOver && figures === null ? null : session,
      last: { path, state, sessionId: id, figures },
    };
  }
}
