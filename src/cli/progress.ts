import { formatCount, formatDuration } from '../analysis/format.ts';
import { formatBytes } from '../model/format-bytes.ts';
import type { Sample } from '../model/sample.ts';
import { availableBytes, sessionLimit } from '../model/session-memory.ts';
import type { CommandIo } from './command.ts';

/** One line that says how the recording goes; rewritten in place on a terminal only. */
export class ProgressLine {
  readonly #stream: CommandIo['stderr'];
  readonly #durationMs: number | null;
  readonly #live: boolean;
  #startMonotonicMs: number | null = null;

  constructor(io: CommandIo, options: { durationMs: number | null; quiet: boolean }) {
    this.#stream = io.stderr;
    this.#durationMs = options.durationMs;
    this.#live = !options.quiet && io.stderr.isTTY === true;
  }

  update(sample: Sample): void {
    if (!this.#live) return;
    this.#startMonotonicMs ??= sample.monotonicMs;
    const elapsedMs = sample.monotonicMs - this.#startMonotonicMs;
    const width = Math.max(20, (this.#stream.columns ?? 80) - 1);
    const lines = wordings(sample, { elapsedMs, durationMs: this.#durationMs });
    const fitting = lines.find((line) => line.length <= width) ?? lines.at(-1)?.slice(0, width);
    this.#stream.write(`\r\u001b[K${fitting}`);
  }

  /** Ends the line, so that what follows starts on one of its own. */
  end(): void {
    if (this.#live && this.#startMonotonicMs !== null) this.#stream.write('\r\u001b[K');
  }
}

/** The same from long to short; each whole, as a number without its unit would mislead. */
function wordings(
  sample: Sample,
  time: { elapsedMs: number; durationMs: number | null },
): readonly string[] {
  const { processCount, unreclaimableBytes } = sample.browser;
  const elapsed = time.elapsedMs < 500 ? '0 s' : formatDuration(roundedToSeconds(time.elapsedMs));
  const whole = time.durationMs === null ? '' : ` of ${formatDuration(time.durationMs)}`;
  const left = formatBytes(availableBytes(sample));
  const limit = formatBytes(sessionLimit(sample).bytes);
  const isBrowser = processCount > 0;
  const browser = isBrowser ? `browser ${formatBytes(unreclaimableBytes)}` : 'no browser yet';
  const processes = isBrowser ? ` in ${formatCount(processCount, 'process', 'processes')}` : '';
  return [
    `recording  ${elapsed}${whole}  available ${left} of ${limit}  ${browser}${processes}`,
    `${elapsed}${whole}  available ${left} of ${limit}  ${browser}`,
    `${elapsed}${whole}  ${left} of ${limit} left  ${browser}`,
    `${elapsed}  ${left} left  ${browser}`,
    `${elapsed}  ${left} left`,
    elapsed,
  ];
}

function roundedToSeconds(ms: number): number {
  return Math.round(ms / 1000) * 1000;
}
