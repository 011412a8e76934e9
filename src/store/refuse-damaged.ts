import { existsSync, statSync } from 'node:fs';
import { readError } from './database-file.ts';
import { damagedFile } from './reading-error.ts';
import { sealDamage } from './seal/check-seal.ts';
import { isLogDamaged } from './verify/check-log.ts';

/**
 * FILE_CORRUPT for a recording that is not what its checksums say: of most changed figures SQLite
 * notices nothing. One that has a log, or that a program wrote to since, is not looked into. To be
 * called before SQLite has the file open: closing it here drops SQLite's locks. FILE_NOT_READABLE.
 */
export function refuseDamaged(path: string): void {
  if (damageOf(path) === null) return;
  // Somebody may have written to it while it was read; what is damaged is so at a second look.
  const what = damageOf(path);
  if (what !== null) throw damagedFile(path, what);
}

/** FILE_CORRUPT where the log of a recording, which nobody may be writing, is damaged before its end. */
export function refuseDamagedLog(path: string): void {
  if (!isLogDamaged(path)) return;
  throw damagedFile(path, `has a damaged log ${path}-wal: what comes after the damage is not read`);
}

function damageOf(path: string): string | null {
  try {
    // A pipe would be waited for; whoever opens it says what it is.
    const isFile = statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
    if (!isFile || existsSync(`${path}-wal`)) return null;
    return sealDamage(path);
  } catch (error) {
    throw readError(error, path);
  }
}
