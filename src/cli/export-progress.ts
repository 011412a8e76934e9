import path from 'node:path';
import { formatBytes } from '../model/format-bytes.ts';
import { printable } from '../report/printable.ts';
import type { CommandIo } from './command.ts';

const redrawMs = 100;

/** One line that says how an export into files goes; on a terminal only. */
export class FileExportProgress {
  readonly #stream: CommandIo['stderr'];
  readonly #fileCount: number;
  readonly #now: () => number;
  #fileNumber = 0;
  #name = '';
  #drawnMs = Number.NEGATIVE_INFINITY;

  constructor(
    { stderr }: Pick<CommandIo, 'stderr'>,
    fileCount: number,
    now: () => number = () => performance.now(),
  ) {
    this.#stream = stderr;
    this.#fileCount = fileCount;
    this.#now = now;
  }

  beginFile(file: string): void {
    this.#fileNumber++;
    this.#name = printable(path.basename(file));
  }

  /** So many bytes were written in all. */
  update(writtenBytes: number): void {
    if (this.#stream.isTTY !== true || this.#now() - this.#drawnMs < redrawMs) return;
    this.#drawnMs = this.#now();
    const of = this.#fileCount === 1 ? '' : `${this.#fileNumber} of ${this.#fileCount}  `;
    this.#stream.write(`\r\u001b[K${of}${this.#name}  ${formatBytes(writtenBytes)}`);
  }

  /** Clears the line, so that a message can follow. */
  end(): void {
    if (this.#drawnMs > Number.NEGATIVE_INFINITY) this.#stream.write('\r\u001b[K');
  }
}
