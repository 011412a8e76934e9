import { linkSync, renameSync, rmSync, type Stats, statSync } from 'node:fs';
import { errnoOf } from '../model/errors.ts';
import { isHeld } from './recorder-lock.ts';

/**
 * Puts the log of a recording beside the file, where another program has moved that. False when it has
 * a log there that somebody else made, and where it cannot be had under two names (another disk).
 * Nobody here may have the two open.
 */
export function rejoinLog(path: string, log: string): boolean {
  const place = `${path}-wal`;
  if (log === place) return true;
  try {
    // Whoever reads a file makes an empty log, and cannot remove it while the recorder lives.
    if (statOf(place)?.size === 0 && isHeld(`${path}-shm`) === false) rmSync(place);
    // Unlike a renaming it takes nobody's place.
    linkSync(log, place);
    rmSync(log);
    return true;
  } catch (error) {
    if (errnoOf(error) === null) throw error;
    return false;
  }
}

/**
 * For a log in the place of a new recording: it may be that of one which was moved away, and hold its
 * newest samples. Gives the name that it has now; null for an empty one or none. Errors of the system.
 */
export function setLogAside(log: string): string | null {
  if ((statOf(log)?.size ?? 0) === 0) return null;
  for (let number = 1; ; number++) {
    const aside = `${log}-left-${number}`;
    if (statOf(aside) !== undefined) continue;
    renameSync(log, aside);
    return aside;
  }
}

function statOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}
