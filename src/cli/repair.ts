import { HeadroomError } from '../model/errors.ts';
import type { OnCheckProgress } from '../store/check-progress.ts';
import { type Salvage, salvageFile } from '../store/salvage/salvage-file.ts';
import { snapshot } from '../store/snapshot.ts';
import type { Verification } from '../store/verify/verification.ts';
import { makeDatabase } from './output-database.ts';

/** What was made of a recording that may be damaged: a copy of a whole one, what could be saved, or nothing. */
export type Repair =
  | { kind: 'copy'; file: string }
  | { kind: 'salvage'; file: string; salvage: Salvage }
  | { kind: 'nothing'; reason: HeadroomError };

/**
 * Makes a whole recording of what can be read of another one, which stays as it is. FILE_IN_USE for
 * a damaged one that is still being recorded; else see {@link salvageFile} and {@link makeDatabase}.
 */
export function repair(
  { path, isWhole, isLive }: Verification,
  { out, onProgress }: { out: string; onProgress: OnCheckProgress },
): Repair {
  if (isWhole) {
    makeDatabase(out, (temporary) => snapshot(path, temporary));
    return { kind: 'copy', file: out };
  }
  if (isLive) {
    throw new HeadroomError('FILE_IN_USE', `${path}: is damaged, and still being recorded`, {
      hint: 'End its recorder first.',
    });
  }
  const make = (temporary: string) => salvageFile(path, temporary, { onProgress });
  try {
    return { kind: 'salvage', file: out, salvage: makeDatabase(out, make) };
  } catch (error) {
    if (!(error instanceof HeadroomError) || error.code !== 'NOTHING_TO_SAVE') throw error;
    return { kind: 'nothing', reason: error };
  }
}
