import { sameSession } from '../analysis/same-session.ts';
import { HeadroomError } from '../model/errors.ts';
import { leftOutWords } from '../report/left-out-words.ts';
import { printable } from '../report/printable.ts';
import { openRecording } from '../store/reader.ts';
import type { CommandIo } from './command.ts';
import { OutputError } from './output-file.ts';

export interface Exported {
  /** Of how many recordings all was exported. */
  count: number;
  /** All was, of all of them. */
  isWhole: boolean;
}

/**
 * Exports one file after the other. One that is damaged is named and passed over; when it is the only
 * one, its error is thrown. A second copy of a session is named and left out, as its rows would be
 * there twice.
 */
export async function exportEach(
  files: readonly string[],
  io: Pick<CommandIo, 'stderr' | 'signal'>,
  exportFile: (file: string) => Promise<boolean>,
): Promise<Exported> {
  const exported: Exported = { count: 0, isWhole: true };
  const fileBySession = new Map<string, string>();
  for (const file of files) {
    try {
      const session = files.length === 1 ? '' : sessionOf(file);
      const first = fileBySession.get(session);
      if (first !== undefined) {
        const words = leftOutWords({ file, reason: sameSession(first) });
        io.stderr.write(`headroom export: left out: ${words}\n`);
        continue;
      }
      if (await exportFile(file)) exported.count++;
      else exported.isWhole = false;
      fileBySession.set(session, file);
    } catch (error) {
      // One damaged file does not keep the others back; an output that is full keeps back all.
      const isOfFile = error instanceof HeadroomError && !(error instanceof OutputError);
      if (!isOfFile || files.length === 1) throw error;
      exported.isWhole = false;
      io.stderr.write(`${printable(`${file}: ${error.message}`)} [${error.code}]\n`);
    }
  }
  return exported;
}

function sessionOf(file: string): string {
  using recording = openRecording(file);
  return recording.facts.id;
}
