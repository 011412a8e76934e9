import { HeadroomError } from '../model/errors.ts';
import { printable } from '../report/printable.ts';
import { sealFile } from '../store/seal/seal-file.ts';
import type { CommandIo } from './command.ts';

/**
 * Renews the checksums of a recording that has ended, and was written to since by the exporter that
 * keeps its place in it. One that cannot be sealed is a recording all the same.
 */
export function sealRecording(path: string, io: Pick<CommandIo, 'stderr'>): void {
  try {
    sealFile(path);
  } catch (error) {
    if (!(error instanceof HeadroomError)) throw error;
    io.stderr.write(`no checksums were added: ${printable(error.message)}\n`);
  }
}
