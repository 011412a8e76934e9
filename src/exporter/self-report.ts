import { openRecording } from '../store/reader.ts';
import type { ExportOptions } from './export-options.ts';
import type { ExportRun } from './export-run.ts';
import { newsOf, selfPoints } from './otlp/self-points.ts';
import { serializePoints } from './otlp/serialize.ts';
import { resourceOf } from './session-identity.ts';

const everyMs = 60_000;

/**
 * Tells the receiver of the points how the export itself goes: once a minute while there is news, and
 * at the end. A report that does not arrive is not sent again: the next one, and the file, say the same.
 */
export class SelfReport {
  readonly #path: string;
  readonly #runs: readonly ExportRun[];
  readonly #options: ExportOptions;
  readonly #now: () => number;
  readonly #startedUnixMs: number;
  #toldUnixMs: number;
  #told: string;

  constructor(path: string, runs: readonly ExportRun[], options: ExportOptions) {
    this.#path = path;
    this.#runs = runs;
    this.#options = options;
    this.#now = options.runtime?.now ?? Date.now;
    this.#startedUnixMs = this.#now();
    this.#toldUnixMs = this.#startedUnixMs;
    this.#told = this.#news();
  }

  /** If there is news, and the last report is a minute old. */
  async tell(): Promise<void> {
    if (this.#now() >= this.#toldUnixMs + everyMs) await this.tellLast();
  }

  /** If there is news. */
  async tellLast(): Promise<void> {
    const news = this.#news();
    if (news === this.#told) return;
    this.#told = news;
    this.#toldUnixMs = this.#now();
    const { metrics, resource } = this.#options.target;
    const facts = this.#facts();
    const points = selfPoints(
      facts,
      this.#runs.map(({ account }) => account),
      { startedUnixMs: this.#startedUnixMs, nowUnixMs: this.#toldUnixMs },
    );
    const body = serializePoints(points, resourceOf(facts, resource), metrics.encoding);
    await this.#runs[0]?.sendOnce(body);
  }

  #news(): string {
    return newsOf(this.#runs.map(({ account }) => account));
  }

  #facts() {
    using recording = (this.#options.runtime?.open ?? openRecording)(this.#path);
    return recording.facts;
  }
}
