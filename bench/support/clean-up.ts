/** What has to be undone, last first; one step that fails keeps none of the others from running. */
export class CleanUp {
  readonly #steps: (() => unknown)[] = [];

  add(step: () => unknown): void {
    this.#steps.push(step);
  }

  /** Gives what could not be undone. */
  async run(): Promise<unknown[]> {
    const errors: unknown[] = [];
    for (let step = this.#steps.pop(); step !== undefined; step = this.#steps.pop()) {
      try {
        await step();
      } catch (error) {
        errors.push(error);
      }
    }
    return errors;
  }
}

/** Does the work and cleans up behind it, also when it fails. */
export async function withCleanUp<T>(work: (cleanUp: CleanUp) => Promise<T>): Promise<T> {
  const cleanUp = new CleanUp();
  try {
    return await work(cleanUp);
  } finally {
    for (const error of await cleanUp.run()) {
      process.stderr.write(`not cleaned up: ${error}\n`);
      process.exitCode = 1;
    }
  }
}

const signals = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;

/**
 * Does work that a signal ends in good order: the signal aborts what is given to the work, which is
 * to throw then, and the exit code is that of a shell.
 */
export async function untilInterrupted(
  work: (interrupted: AbortSignal) => Promise<void>,
): Promise<void> {
  const controller = new AbortController();
  for (const [name, number] of Object.entries(signals)) {
    process.on(name, () => {
      process.exitCode = 128 + number;
      controller.abort();
    });
  }
  try {
    await work(controller.signal);
  } catch (error) {
    if (!controller.signal.aborted) throw error;
    process.stderr.write('interrupted\n');
  }
}
