import { HeadroomError } from '../model/errors.ts';
import { printable } from '../report/printable.ts';
import type { CommandIo } from './command.ts';
import { OutputError } from './output-file.ts';

/**
 * Exports one file after the other; of how many all could be exported. One that is damaged is named
 * and passed over; when it is the only one, its error is thrown.
 */
export async function exportEach(
  files: readonly string[],
  io: Pick<CommandIo, 'stderr' | 'signal'>,
  exportFile: (file: string) => Promise<boolean>,
): Promise<number> {
  let whole = 0;
  for (const file of files) {
    try {
      if (await exportFile(file)) whole++;
    } catch (error) {
      // One damaged file does not keep the others back; an output that is full keeps back all.
      const isOfFile = error instanceof HeadroomError && !(error instanceof OutputError);
      if (!isOfFile || files.length === 1) throw error;
      io.stderr.write(`${printable(`${file}: ${error.message}`)} [${error.code}]\n`);
    }
  }
  return whole;
}
