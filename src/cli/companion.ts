import { type ChildProcess, spawn } from 'node:child_process';
import type { CommandIo } from './command.ts';

interface CompanionOptions {
  io: CommandIo;
  what: string;
  onOutput?: (text: string) => void;
}

const endTimeoutMs = 5_000;

/**
 * Another headroom beside the recorder: so the recorder never waits for a network and loads nothing
 * of what is needed for one.
 */
export class Companion {
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.#ended = new Promise((resolve) => {
      child.once('exit', () => resolve());
      child.once('error', () => resolve());
    });
  }

  /**
   * `what` names it in the message that tells that it cannot be started. `onOutput` gets what it
   * writes to its stdout; then its stdin is a pipe that is closed by our end, however that comes.
   */
  static start(args: readonly string[], { io, what, onOutput }: CompanionOptions): Companion {
    const main = process.argv[1] ?? '';
    // A group of its own: Ctrl-C ends the recorder, and that one decides about its companion.
    const child = spawn(process.execPath, [main, ...args], {
      stdio: onOutput === undefined ? ['ignore', 'ignore', 'inherit'] : ['pipe', 'pipe', 'inherit'],
      detached: true,
    });
    if (onOutput !== undefined) child.stdout?.setEncoding('utf8').on('data', onOutput);
    child.once('error', (error) => io.stderr.write(`cannot start ${what}: ${error.message}\n`));
    return new Companion(child);
  }

  /** Asks it to end, and ends it if it does not. */
  end(): void {
    this.#child.kill('SIGTERM');
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), endTimeoutMs);
    void this.#ended.then(() => clearTimeout(timer));
  }

  /** Waits for its end, unless there is a hurry. */
  async wait(hurry: AbortSignal): Promise<void> {
    const hurried = new Promise<void>((resolve) => {
      if (hurry.aborted) resolve();
      else hurry.addEventListener('abort', () => resolve(), { once: true });
    });
    await Promise.race([this.#ended, hurried]);
  }
}
