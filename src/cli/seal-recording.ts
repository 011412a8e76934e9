import { HeadroomError } from '../model/errors.ts';
import { printable } from '../report/printable.ts';
import { sealFile } from '../store/seal/seal-file.ts';
import type { CommandIo } from './command.ts';

/**
 * Adds checksums to a recording that has ended, so that `headroom verify` finds any byte that
 * changes on its way to somebody. One that cannot be sealed is a recording all the same.
 */
export function sealRecording(path: string, io: Pick<CommandIo, 'stderr'>): void {
  try {
    sealFile(path);
  } catch (error) {
    if (!(error instanceof HeadroomError)) throw error;
    io.stderr.write(`no checksums were added: ${printable(error.message)}\n`);
  }
}
