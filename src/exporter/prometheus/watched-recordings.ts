import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { errnoOf, HeadroomError } from '../../model/errors.ts';
import type { Recording } from '../../model/recording.ts';
import { openRecording } from '../../store/reader.ts';
import { lingerMs, ScrapedSession, type SessionFigures } from './scraped-session.ts';

/** A file of the folder as it was when last looked at. */
export interface WatchedFile {
  path: string;
  state: SessionFigures['state'] | 'unreadable';
  /** Null: it ended before anybody had to know, and was not opened. */
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
}

// A second brings no new tick: however often it is asked, the files are read once.
const freshMs = 1_000;

interface Memory {
  /** What the file looked like when it was found to have nothing to show. */
  settledStamp: string | null;
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

  constructor(source: string, options: WatchOptions) {
    this.#source = source;
    this.#options = {
      now: Date.now,
      monotonicMs: () => performance.now(),
      open: openRecording,
      perProcess: null,
      ...options,
    };
  }

  /**
   * Looks at all of them, once a second at most. A file is opened only while it may have something
   * to show, and never kept open: its recorder must be able to put its log away. FILE_NOT_FOUND,
   * FILE_NOT_READABLE for the folder.
   */
  read(): Watch {
    const startMs = this.#options.monotonicMs();
    if (this.#watch !== null && startMs - this.#watchMs < freshMs) return this.#watch;
    const files = new Map<string, Memory>();
    for (const file of this.#paths()) {
      const memory = this.#look(file, this.#files.get(file));
      if (memory !== null) files.set(file, memory);
    }
    this.#files = files;
    this.#watchMs = startMs;
    this.#watch = {
      files: [...files.values()].map(({ last }) => last),
      readSeconds: (this.#options.monotonicMs() - startMs) / 1000,
    };
    return this.#watch;
  }

  #paths(): string[] {
    try {
      if (!statSync(this.#source).isDirectory()) return [this.#source];
      return readdirSync(this.#source)
        .filter((name) => name.endsWith('.db'))
        .sort()
        .map((name) => path.join(this.#source, name));
    } catch (error) {
      const errno = errnoOf(error);
      if (errno === null) throw error;
      const code = errno === 'ENOENT' ? 'FILE_NOT_FOUND' : 'FILE_NOT_READABLE';
      throw new HeadroomError(code, `${this.#source}: cannot be read (${errno})`, {
        hint: 'Give a folder with recordings, or one recording.',
        cause: error,
      });
    }
  }

  #look(file: string, before: Memory | undefined): Memory | null {
    const stamp = stampOf(file);
    // Gone between the list and the look.
    if (stamp === null) return null;
    if (before !== undefined && before.settledStamp === stamp.text) return before;
    const ended: WatchedFile = { path: file, state: 'ended', sessionId: null, figures: null };
    const isOld = !stamp.hasLog && this.#options.now() - stamp.changedUnixMs > lingerMs;
    if (isOld) {
      return { settledStamp: stamp.text, problem: null, session: null, last: ended };
    }
    try {
      return this.#open(file, stamp.text, before);
    } catch (error) {
      if (!(error instanceof HeadroomError)) throw error;
      if (before?.problem !== error.message) this.#options.onProblem(error);
      return {
        settledStamp: null,
        problem: error.message,
        // A file that is read again goes on where it was.
        session: before?.session ?? null,
        last: { ...ended, state: 'unreadable' },
      };
    }
  }

  #open(file: string, stamp: string, before: Memory | undefined): Memory {
    using recording = this.#options.open(file);
    const { id } = recording.facts;
    const { perProcess } = this.#options;
    const session =
      before?.session?.id === id
        ? before.session
        : { id, scraped: new ScrapedSession({ perProcess }) };
    const figures = session.scraped.read(recording, this.#options.now());
    const state = figures?.state ?? (recording.isLive ? 'live' : 'ended');
    // One that is over and shown no more needs no second look.
    const isSettled = figures === null && state === 'ended';
    return {
      settledStamp: isSettled ? stamp : null,
      problem: null,
      session: isSettled ? null : session,
      last: { path: file, state, sessionId: id, figures },
    };
  }
}

/** What tells whether a file has been written to; null when it is not there. */
function stampOf(file: string): { text: string; hasLog: boolean; changedUnixMs: number } | null {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined || !stats.isFile()) return null;
  const log = statSync(`${file}-wal`, { throwIfNoEntry: false });
  const parts = [stats.ino, stats.size, stats.mtimeMs, log?.size, log?.mtimeMs];
  return { text: parts.join(' '), hasLog: log !== undefined, changedUnixMs: stats.mtimeMs };
}
