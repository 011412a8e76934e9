import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** Which part of which synthetic session is recorded. */
export interface RecorderWork {
  seed: number;
  processCount: number;
  /** Ticks at the beginning of the session that are not recorded, such as those of earlier runs. */
  skippedTicks: number;
  tickCount: number;
  /** After each sample; default: none. */
  pauseMs?: number;
}

/** What a recorder said last. */
export interface RecorderState {
  stage: 'starting' | 'opening' | 'recording' | 'closing' | 'closed';
  /** Samples that are in the file. */
  committedCount: number;
  /** Samples that it tried to write. */
  triedCount: number;
  /** Samples that were not written at once. */
  deferredCount: number;
  /** Since when the last one waits to be written, as a count of samples; 0 when it is written. */
  waitingCount: number;
  /** Why: `full`, `busy`, `failed`. */
  reason: string | null;
  /** Null while it runs, and when it was killed. */
  exitCode: number | null;
}

const child = fileURLToPath(new URL('./recorder-child.ts', import.meta.url));

/** A recorder in a process of its own. */
export class RecorderProcess {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  readonly #allRead: Promise<void>;
  readonly #waiting = new Set<() => void>();
  #state: RecorderState = {
    stage: 'starting',
    committedCount: 0,
    triedCount: 0,
    deferredCount: 0,
    waitingCount: 0,
    reason: null,
    exitCode: null,
  };
  #hasEnded = false;

  constructor(file: string, work: RecorderWork) {
    const args = ['--import', 'tsx', child, file, JSON.stringify(work)];
    this.#child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    this.#exited = once(this.#child, 'exit');
    this.#allRead = this.#read();
  }

  get state(): RecorderState {
    return this.#state;
  }

  /** Until its state is as wanted, or it has ended. */
  async until(isAsWanted: (state: RecorderState) => boolean): Promise<void> {
    while (!this.#hasEnded && !isAsWanted(this.#state)) {
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  /** `kill -9`; then everything that it said has been read. */
  async kill(): Promise<RecorderState> {
    this.#child.kill('SIGKILL');
    return this.ended();
  }

  async ended(): Promise<RecorderState> {
    await this.#exited;
    await this.#allRead;
    this.#state = { ...this.#state, exitCode: this.#child.exitCode };
    return this.#state;
  }

  async #read(): Promise<void> {
    if (this.#child.stdout === null) return;
    for await (const line of createInterface({ input: this.#child.stdout })) {
      this.#state = next(this.#state, line);
      this.#wake();
    }
    this.#hasEnded = true;
    this.#wake();
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}

function next(state: RecorderState, line: string): RecorderState {
  const [stage = '', committed, reason = '-'] = line.split(' ');
  const tried = stage === 'recording' ? 1 : 0;
  const deferred = reason === '-' ? 0 : tried;
  return {
    stage: stage as RecorderState['stage'],
    committedCount: Number(committed),
    triedCount: state.triedCount + tried,
    deferredCount: state.deferredCount + deferred,
    waitingCount: reason === '-' ? 0 : state.waitingCount + deferred,
    reason: reason === '-' ? null : reason,
    exitCode: null,
  };
}
