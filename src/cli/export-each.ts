import { setImmediate } from 'node:timers/promises';
import { bySession, type SessionFile, sameSession } from '../analysis/same-session.ts';
import { HeadroomError } from '../model/errors.ts';
import { leftOutWords } from '../report/left-out-words.ts';
import { openRecording } from '../store/reader.ts';
import { refuseDamaged } from '../store/refuse-damaged.ts';
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
 * one, its error is thrown. Of several recordings of a session the longest is exported, or the longest
 * that can be read; the others are named and left out, as their rows would be there twice.
 */
export async function exportEach(
  files: readonly string[],
  io: Pick<CommandIo, 'stderr' | 'signal'>,
  exportFile: (file: string) => Promise<boolean>,
): Promise<Exported> {
  const exported: Exported = { count: 0, isWhole: true };
  const tell = (words: string) => io.stderr.write(`${words}\n`);
  for (const recordings of await sessionsOf(files, io)) {
    let first: string | null = null;
    for (const { file, error } of recordings) {
      if (first !== null) {
        tell(`headroom export: left out: ${leftOutWords({ file, reason: sameSession(first) })}`);
        continue;
      }
      try {
        refuseDamaged(file);
        if (error !== null) throw error;
        if (await exportFile(file)) exported.count++;
        else exported.isWhole = false;
        first = file;
      } catch (thrown) {
        // One damaged file does not keep the others back; an output that is full keeps back all.
        const isOfFile = thrown instanceof HeadroomError && !(thrown instanceof OutputError);
        if (!isOfFile || files.length === 1) throw thrown;
        exported.isWhole = false;
        tell(`${leftOutWords({ file, reason: thrown.message })} [${thrown.code}]`);
      }
    }
  }
  return exported;
}

interface FoundFile extends SessionFile {
  file: string;
  /** Why it cannot be opened. */
  error: HeadroomError | null;
}

async function sessionsOf(
  files: readonly string[],
  { signal }: Pick<CommandIo, 'signal'>,
): Promise<FoundFile[][]> {
  // Whose it is matters only where there are others.
  if (files.length === 1) return files.map((file) => [unknown(file, null)]);
  const found: FoundFile[] = [];
  for (const file of files) {
    found.push(sessionOf(file));
    await setImmediate();
    if (signal.aborted) break;
  }
  return bySession(found);
}

function sessionOf(file: string): FoundFile {
  try {
    using recording = openRecording(file);
    const lastSequence = recording.lastTick()?.sequence ?? 0;
    return { file, id: recording.facts.id, lastSequence, error: null };
  } catch (error) {
    if (error instanceof HeadroomError) return unknown(file, error);
    throw error;
  }
}

function unknown(file: string, error: HeadroomError | null): FoundFile {
  return { file, id: null, lastSequence: 0, error };
}
