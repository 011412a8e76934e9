import { type ChildProcess, spawn } from 'node:child_process';
import type { CommandIo } from './command.ts';

/**
 * Another headroom beside the recorder that reads the same file: so the recorder never waits for a
 * network and loads nothing of what is needed for one.
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

  /** `what` names it in the message that tells that it cannot be started. */
  static start(args: readonly string[], { io, what }: { io: CommandIo; what: string }): Companion {
    const main = process.argv[1] ?? '';
    // A group of its own: Ctrl-C ends the recorder, and that one decides about its companion.
    const child = spawn(process.execPath, [main, ...args], {
      stdio: ['ignore', 'ignore', 'inherit'],
      detached: true,
    });
    child.once('error', (error) => io.stderr.write(`cannot start ${what}: ${error.message}\n`));
    return new Companion(child);
  }

  /** Asks it to end. */
  end(): void {
    this.#child.kill('SIGTERM');
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
