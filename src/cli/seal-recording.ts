import { statSync } from 'node:fs';
import { HeadroomError } from '../model/errors.ts';
import { orNull } from '../model/or-null.ts';
import { printable } from '../report/printable.ts';
import { checkSeal, isSealOutdated } from '../store/seal/check-seal.ts';
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

/**
 * Does work that writes to a recording, and renews its checksums after it: those of one that was what
 * they said before, or that got them meanwhile. What is damaged, or was changed by another program, is
 * never vouched for.
 */
export async function keepingSeal<T>(
  path: string,
  io: Pick<CommandIo, 'stderr'>,
  work: () => Promise<T>,
): Promise<T> {
  const before = ofFile(path, checkSeal)?.state;
  try {
    return await work();
  } finally {
    const mayRenew = before === 'intact' || before === 'none';
    if (mayRenew && ofFile(path, isSealOutdated) === true) sealRecording(path, io);
  }
}

/** Null: it cannot be read, which whoever works with it tells. */
function ofFile<T>(path: string, read: (path: string) => T): T | null {
  return orNull(() => {
    // A pipe would be waited for.
    const isFile = statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
    return isFile ? read(path) : null;
  });
}
