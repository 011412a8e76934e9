import type { CommandIo } from './command.ts';
import { Companion } from './companion.ts';
import type { RecordOptions } from './record-options.ts';

/** How long the exporter may go on after the recording ended. */
const deadline = '10s';

/** What `record` starts beside itself: the exporter of `--otlp`, the server of `--metrics-port`. */
export class LiveExport {
  readonly #exporter: Companion | null;
  readonly #server: Companion | null;

  private constructor(exporter: Companion | null, server: Companion | null) {
    this.#exporter = exporter;
    this.#server = server;
  }

  static start(options: RecordOptions, io: CommandIo): LiveExport {
    const { otlpEndpoint, metricsPort, perProcess } = options;
    const more = perProcess === null ? [] : [`--per-process=${perProcess}`];
    return new LiveExport(
      otlpEndpoint === null
        ? null
        : Companion.start(
            [
              ...['export', options.out, '--to', 'otlp', '--endpoint', otlpEndpoint],
              ...['--follow', '--deadline', deadline, ...more],
            ],
            { io, what: 'the exporter' },
          ),
      metricsPort === null
        ? null
        : Companion.start(
            ['serve', options.out, '--port', `${metricsPort}`, '--while-live', ...more],
            { io, what: 'the server of /metrics' },
          ),
    );
  }

  /**
   * Waits until the exporter has sent the rest or its deadline is over; it says what is left, which
   * is still in the file. The server ends with the recording.
   */
  async finish(hurry: AbortSignal): Promise<void> {
    this.#server?.end();
    await this.#exporter?.wait(hurry);
    await this.#server?.wait(hurry);
  }
}
