import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { lockFolder } from '../../host/folder-lock.ts';
import { removeLeftovers } from '../../host/leftovers.ts';
import type { HostMachine } from '../../host/machine.ts';
import { errnoOf, HeadroomError } from '../../model/errors.ts';

/** What the folder of a demo is called, before its six letters. */
export const demoFolderPrefix = 'headroom-demo-';

// One that is just made has no lock yet.
const youngMs = 60_000;

/**
 * Ends and removes what demos of this user left that were killed: processes, cgroups, folders. Whether
 * one still runs says the lock of its folder. Gives how many that were.
 */
export async function removeDeadDemos(machine: HostMachine, parent = os.tmpdir()): Promise<number> {
  let count = 0;
  for (const name of fs.readdirSync(parent)) {
    if (!/^headroom-demo-\w{6}$/.test(name)) continue;
    const folder = path.join(parent, name);
    if (isOwnAndOld(folder) && (await removeDead(folder, machine))) count++;
  }
  return count;
}

function isOwnAndOld(folder: string): boolean {
  const stats = fs.lstatSync(folder, { throwIfNoEntry: false });
  // Anybody may put a folder of this name there, and would choose what is killed.
  const isOwn = stats?.isDirectory() === true && stats.uid === process.geteuid?.();
  return isOwn && Date.now() - stats.mtimeMs > youngMs;
}

async function removeDead(folder: string, machine: HostMachine): Promise<boolean> {
  try {
    const lock = await lockFolder(folder);
    await removeLeftovers(path.join(folder, 'sessions'), machine);
    fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    lock.close();
    return true;
  } catch (error) {
    // It runs; or not all of it may be removed, and the next one tries again.
    const isInUse = error instanceof HeadroomError && error.code === 'FILE_IN_USE';
    if (!isInUse && errnoOf(error) === null) throw error;
    return false;
  }
}
