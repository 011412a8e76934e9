import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { errnoOf } from '../../src/model/errors.ts';

export interface Tmpfs {
  makeReadOnly(): void;
  [Symbol.dispose](): void;
}

/** A disk in memory, of its own size; null where this process may not mount, and the reason is printed. */
export function mountTmpfs(folder: string, sizeBytes = 4 * 2 ** 20): Tmpfs | null {
  mkdirSync(folder, { recursive: true });
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeBytes}`, 'tmpfs', folder], {
      stdio: 'pipe',
    });
  } catch (error) {
    console.info(`skipped: no tmpfs can be mounted here: ${String(error)}`);
    return null;
  }
  return {
    makeReadOnly: () => execFileSync('mount', ['-o', 'remount,ro', folder]),
    [Symbol.dispose]: () => execFileSync('umount', ['-l', folder]),
  };
}

/** Fills the disk that a file is to be on, as a download does: to the last byte. */
export function fillDisk(ballast: string): void {
  const file = openSync(ballast, 'w');
  const block = Buffer.alloc(4096);
  try {
    for (;;) writeSync(file, block);
  } catch (error) {
    if (errnoOf(error) !== 'ENOSPC') throw error;
  } finally {
    closeSync(file);
  }
}
