import { HeadroomError } from '../model/errors.ts';
import type { OnCheckProgress } from '../store/check-progress.ts';
import { type Salvage, salvageFile } from '../store/salvage/salvage-file.ts';
import { snapshot } from '../store/snapshot.ts';
import type { Verification } from '../store/verify/verification.ts';
import { makeDatabase } from './output-database.ts';

/** The recording that was made of one that may be damaged. */
export interface Repair {
  file: string;
  /** What was saved and lost; null where it was whole and is copied. */
  salvage: Salvage | null;
}

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
    return { file: out, salvage: null };
  }
  if (isLive) {
    throw new HeadroomError('FILE_IN_USE', `${path}: is damaged, and still being recorded`, {
      hint: 'End its recorder first.',
    });
  }
  const make = (temporary: string) => salvageFile(path, temporary, { onProgress });
  return { file: out, salvage: makeDatabase(out, make) };
}
