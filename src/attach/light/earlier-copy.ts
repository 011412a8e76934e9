import fs from 'node:fs';
import type { Sample } from '../../model/sample.ts';
import type { Tick } from '../../model/session-memory.ts';
import { openRecording } from '../../store/reader.ts';

/**
 * The recording that an earlier pull made. A sampler removes its oldest frames when it has no room for
 * more: what was made of them before is then only there.
 */
export class EarlierCopy {
  readonly path: string;
  readonly #bootId: string | null;
  readonly #firstUnixMs: number;
  readonly #last: Tick;

  /** Null where there is no file, or nothing in it. */
  static of(path: string): EarlierCopy | null {
    if (!fs.existsSync(path)) return null;
    using recording = openRecording(path);
    const [first] = recording.ticks();
    const last = recording.lastTick();
    if (first === undefined || last === null) return null;
    const { bootId } = recording.facts.machine;
    return new EarlierCopy(path, { bootId, firstUnixMs: first.timeUnixMs, last });
  }

  private constructor(
    path: string,
    { bootId, firstUnixMs, last }: { bootId: string | null; firstUnixMs: number; last: Tick },
  ) {
    this.path = path;
    this.#bootId = bootId;
    this.#firstUnixMs = firstUnixMs;
    this.#last = last;
  }

  /** Whether it has what came before that time. */
  beginsBefore(unixMs: number): boolean {
    return this.#firstUnixMs < unixMs;
  }

  /** Whether it ends with this sample, or later. The clock of one boot is never set back. */
  has({ monotonicMs, timeUnixMs }: Sample, bootId: string | null): boolean {
    return bootId === this.#bootId
      ? Math.round(monotonicMs) <= this.#last.monotonicMs
      : Math.round(timeUnixMs) <= this.#last.timeUnixMs;
  }

  /** Ticks that were missed up to its end, more than up to that sample by the frames that are left. */
  missedMoreThan({ collector }: Sample): number {
    return this.#last.collector.missedTickCount - collector.missedTickCount;
  }
}
