import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { errnoOf } from '../model/errors.ts';

/**
 * A name beside a file, under which it is written until it is whole. Files that an earlier run on
 * this machine left behind for the same target, because it was killed, are removed.
 */
export function temporaryBeside(
  target: string,
  isRunning: (pid: number) => boolean = pidExists,
): string {
  const folder = path.dirname(target);
  const prefix = prefixOf(target);
  removeStale(folder, prefix, isRunning);
  return path.join(folder, `${prefix}${process.pid}-${randomBytes(4).toString('hex')}.tmp`);
}

// The folder may be shared with other machines and containers, whose pids mean nothing here.
function prefixOf(target: string): string {
  const hash = createHash('sha256').update(`${os.hostname()}\0${path.basename(target)}`);
  return `.headroom-${hash.digest('hex').slice(0, 16)}-`;
}

// A folder that may not be listed, or a file that belongs to somebody else, is no hindrance; one that
// is not there is the writer's to complain of.
function removeStale(folder: string, prefix: string, isRunning: (pid: number) => boolean): void {
  try {
    for (const name of fs.readdirSync(folder)) {
      if (!name.startsWith(prefix)) continue;
      // A database has more files, with the same beginning.
      const pid = /^(\d+)-[0-9a-f]{8}\.tmp/.exec(name.slice(prefix.length))?.[1];
      if (pid === undefined || isRunning(Number(pid))) continue;
      fs.rmSync(path.join(folder, name), { force: true });
    }
  } catch (error) {
    if (errnoOf(error) === null) throw error;
  }
}

function pidExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errnoOf(error) !== 'ESRCH';
  }
}
