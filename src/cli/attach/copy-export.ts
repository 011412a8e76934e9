import type { OtlpTarget } from '../../exporter/otlp/endpoint.ts';
import { printable } from '../../report/printable.ts';
import type { CommandIo } from '../command.ts';
import { sealRecording } from '../seal-recording.ts';

/** Of one pass: what is not sent then is sent with the next copy. */
const deadlineMs = 60_000;

/** Sends what is new in each copy of a recording that goes on elsewhere; nothing is sent twice. */
export class CopyExport {
  readonly #file: string;
  readonly #target: OtlpTarget;
  readonly #io: CommandIo;
  readonly #told = new Set<string>();

  constructor(file: string, target: OtlpTarget, io: CommandIo) {
    this.#file = file;
    this.#target = target;
    this.#io = io;
    for (const warning of target.warnings) this.#tell(warning);
  }

  /** `isEnd`: there will be no other copy, so that the session is closed. */
  async send({ isEnd }: { isEnd: boolean }): Promise<void> {
    const { exportRecording } = await import('../../exporter/export-loop.ts');
    const { problem, logs } = await exportRecording(this.#file, {
      target: this.#target,
      goesOn: !isEnd,
      deadlineMs,
      reportsItself: isEnd,
      onEvent: (event) => {
        if (event.kind === 'warning') this.#tell(event.message);
      },
    });
    // Its place in the file was written to it.
    sealRecording(this.#file, this.#io);
    for (const one of [problem, logs?.problem ?? null]) {
      if (one !== null) this.#tell(`${one.message} [${one.code}]`);
    }
  }

  #tell(message: string): void {
    if (this.#told.has(message)) return;
    this.#told.add(message);
    this.#io.stderr.write(`${printable(message)}\n`);
  }
}
