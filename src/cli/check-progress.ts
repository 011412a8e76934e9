import path from 'node:path';
import { printable } from '../report/printable.ts';
import type { CheckStep } from '../store/check-progress.ts';
import type { CommandIo } from './command.ts';

const redrawMs = 100;

/** One line that says how a check or repair of a file goes; on a terminal only. */
export class CheckProgress {
  readonly #stream: CommandIo['stderr'];
  readonly #name: string;
  readonly #now: () => number;
  #step: CheckStep | null = null;
  #drawnMs = Number.NEGATIVE_INFINITY;

  constructor(
    { stderr }: Pick<CommandIo, 'stderr'>,
    file: string,
    now: () => number = () => performance.now(),
  ) {
    this.#stream = stderr;
    this.#name = printable(path.basename(file));
    this.#now = now;
  }

  update(step: CheckStep, part: number | null): void {
    if (this.#stream.isTTY !== true) return;
    // A step that cannot tell how far it is says at least what is done.
    if (step === this.#step && this.#now() - this.#drawnMs < redrawMs) return;
    this.#step = step;
    this.#drawnMs = this.#now();
    const done = part === null ? '' : `  ${Math.floor(100 * Math.min(1, part))} %`;
    this.#stream.write(`\r\u001b[K${this.#name}  ${wording[step]}${done}`);
  }

  /** Clears the line, so that a message can follow. */
  end(): void {
    if (this.#step !== null) this.#stream.write('\r\u001b[K');
    this.#step = null;
  }
}

const wording: Readonly<Record<CheckStep, string>> = {
  checksums: 'comparing every byte with its checksums',
  structure: 'checking the tables',
  contents: 'reading what is recorded',
  saving: 'saving what can be read',
  sealing: 'adding checksums',
};
