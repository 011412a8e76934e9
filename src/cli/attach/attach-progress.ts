import { formatDuration } from '../../analysis/format.ts';
import type { CollectorState } from '../../attach/collector-state.ts';
import { formatBytes } from '../../model/format-bytes.ts';
import type { CommandIo } from '../command.ts';

const redrawMs = 1_000;

/** One line that says how a recording elsewhere goes, on a terminal only; messages go between. */
export class AttachProgress {
  readonly #stream: CommandIo['stderr'];
  readonly #isLive: boolean;
  readonly #startedMs = performance.now();
  readonly #timer: NodeJS.Timeout | null;
  #sampleCount = 0;
  #pulled: { atMs: number; sizeBytes: number } | null = null;
  #isPaused = false;

  constructor({ stderr }: Pick<CommandIo, 'stderr'>, { quiet }: { quiet: boolean }) {
    this.#stream = stderr;
    this.#isLive = !quiet && stderr.isTTY === true;
    this.#timer = this.#isLive ? setInterval(() => this.#draw(), redrawMs).unref() : null;
  }

  heard({ sampleCount }: CollectorState): void {
    this.#sampleCount = sampleCount;
  }

  pulled(sizeBytes: number): void {
    this.#pulled = { atMs: performance.now(), sizeBytes };
    this.#isPaused = false;
  }

  /** Somebody else writes to the terminal. */
  pause(): void {
    this.#clear();
    this.#isPaused = true;
  }

  aside(message: string): void {
    this.#clear();
    this.#stream.write(`${message}\n`);
  }

  end(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#clear();
  }

  #draw(): void {
    if (this.#isPaused) return;
    const parts = [`recording  ${agoWords(this.#startedMs)}`];
    if (this.#sampleCount > 0) parts.push(`${this.#sampleCount} samples`);
    if (this.#pulled !== null) {
      const { atMs, sizeBytes } = this.#pulled;
      parts.push(`${formatBytes(sizeBytes)} fetched ${agoWords(atMs)} ago`);
    }
    const width = Math.max(20, (this.#stream.columns ?? 80) - 1);
    this.#stream.write(`\r\u001b[K${parts.join('  ').slice(0, width)}`);
  }

  #clear(): void {
    if (this.#isLive) this.#stream.write('\r\u001b[K');
  }
}

function agoWords(sinceMs: number): string {
  return formatDuration(Math.round((performance.now() - sinceMs) / 1_000) * 1_000);
}
