import { type ChildProcess, spawn } from 'node:child_process';
import type { CommandIo } from './command.ts';
import type { RecordOptions } from './record-options.ts';

/** How long the exporter may go on after the recording ended. */
const deadline = '10s';

/**
 * `--otlp`: the exporter as a process of its own that follows the file. The recorder never waits
 * for a network, and never loads OpenTelemetry; what is not delivered is still in the file.
 */
export class LiveExport {
  readonly #ended: Promise<number | null>;

  private constructor(child: ChildProcess) {
    this.#ended = new Promise((resolve) => {
      child.once('exit', resolve);
      child.once('error', () => resolve(null));
    });
  }

  /** Null when no endpoint was asked for. */
  static start(options: RecordOptions, io: CommandIo): LiveExport | null {
    if (options.otlpEndpoint === null) return null;
    const main = process.argv[1] ?? '';
    const args = ['export', options.out, '--to', 'otlp', '--endpoint', options.otlpEndpoint];
    // A group of its own: Ctrl-C ends the recorder, and the exporter then sends the rest.
    const child = spawn(process.execPath, [main, ...args, '--follow', '--deadline', deadline], {
      stdio: ['ignore', 'ignore', 'inherit'],
      detached: true,
    });
    child.once('error', (error) =>
      io.stderr.write(`cannot start the exporter: ${error.message}\n`),
    );
    return new LiveExport(child);
  }

  /** Waits until the exporter has sent the rest or its deadline is over; it says what is left. */
  async finish(hurry: AbortSignal): Promise<void> {
    const hurried = new Promise<void>((resolve) => {
      if (hurry.aborted) resolve();
      else hurry.addEventListener('abort', () => resolve(), { once: true });
    });
    await Promise.race([this.#ended, hurried]);
  }
}
