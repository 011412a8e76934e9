import type { Sample } from '../model/sample.ts';
import { availableBytes, sessionLimit } from '../model/session-memory.ts';
import type { CommandIo } from './command.ts';

/** One line that says how the recording goes; rewritten in place on a terminal only. */
export class ProgressLine {
  readonly #stream: CommandIo['stderr'];
  readonly #durationMs: number | null;
  readonly #live: boolean;
  #startUnixMs: number | null = null;

  constructor(io: CommandIo, options: { durationMs: number | null; quiet: boolean }) {
    this.#stream = io.stderr;
    this.#durationMs = options.durationMs;
    this.#live = !options.quiet && io.stderr.isTTY === true;
  }

  update(sample: Sample): void {
    if (!this.#live) return;
    this.#startUnixMs ??= sample.timeUnixMs;
    const seconds = Math.round((sample.timeUnixMs - this.#startUnixMs) / 1000);
    const total = this.#durationMs === null ? '' : ` of ${Math.round(this.#durationMs / 1000)} s`;
    const { browser } = sample;
    const parts = [
      `recording  ${seconds} s${total}`,
      `available ${mebibytes(availableBytes(sample))} of ${mebibytes(sessionLimit(sample).bytes)} MiB`,
      browser.processCount === 0
        ? 'no browser yet'
        : `browser ${mebibytes(browser.unreclaimableBytes)} MiB in ${browser.processCount} processes`,
    ];
    const width = Math.max(20, (this.#stream.columns ?? 80) - 1);
    this.#stream.write(`\r\u001b[K${fitting(parts, width)}`);
  }

  /** Ends the line, so that what follows starts on one of its own. */
  end(): void {
    if (this.#live && this.#startUnixMs !== null) this.#stream.write('\r\u001b[K');
  }
}

/** As many parts as fit whole: a number without its unit would mislead. */
function fitting(parts: readonly string[], width: number): string {
  for (let count = parts.length; count > 1; count--) {
    const line = parts.slice(0, count).join('  ');
    if (line.length <= width) return line;
  }
  return (parts[0] ?? '').slice(0, width);
}

function mebibytes(bytes: number | null): string {
  return bytes === null ? 'unknown' : String(Math.round(bytes / 2 ** 20));
}
