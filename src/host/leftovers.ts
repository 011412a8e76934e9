import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { errnoOf } from '../model/errors.ts';
import { hostCgroupName } from '../model/host-session.ts';
import type { HostMachine } from './machine.ts';
import { SessionMembers } from './process/session-members.ts';

/** What a session has besides its folder; written before anything of it is there. */
export interface Leftover {
  id: string;
  cgroup: string | null;
  browserTmp: string;
}

/**
 * Ends and removes what a host that was killed left of its sessions: their processes, cgroups and
 * folders. Gives how many sessions that were. Call it before the first session is made.
 */
export async function removeLeftovers(
  sessionsFolder: string,
  machine: HostMachine,
): Promise<number> {
  const names = namesIn(sessionsFolder);
  for (const name of names) {
    const folder = path.join(sessionsFolder, name);
    const leftover = readLeftover(path.join(folder, 'session.json'));
    if (leftover !== null) await endLeftover(leftover, machine);
    fs.rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  }
  return names.length;
}

/** The same at once, for a process that ends: what does not die is waited for, ten seconds or so. */
export function removeLeftoversNow(sessionsFolder: string, machine: HostMachine): void {
  for (const name of namesIn(sessionsFolder)) {
    const leftover = readLeftover(path.join(sessionsFolder, name, 'session.json'));
    if (leftover === null) continue;
    const members = membersOf(leftover, machine);
    const isGone = () =>
      members.killOnce() === 0 &&
      (leftover.cgroup === null || machine.removeCgroup(leftover.cgroup));
    for (let triesLeft = 500; triesLeft > 0 && !isGone(); triesLeft--) pauseNow(20);
    removeBrowserTmp(leftover);
  }
  fs.rmSync(sessionsFolder, { recursive: true, force: true, maxRetries: 5 });
}

// No event loop turns any more.
function pauseNow(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

async function endLeftover(leftover: Leftover, machine: HostMachine): Promise<void> {
  const { cgroup } = leftover;
  await membersOf(leftover, machine).killAll();
  for (let triesLeft = 500; cgroup !== null && !machine.removeCgroup(cgroup); triesLeft--) {
    if (triesLeft === 0) break;
    await sleep(20);
  }
  removeBrowserTmp(leftover);
}

function membersOf({ id, cgroup }: Leftover, machine: HostMachine): SessionMembers {
  return new SessionMembers({
    sessionId: id,
    cgroup: cgroup === null ? null : { directory: cgroup },
    machine,
  });
}

/** Only what a host makes: a folder of a name of its own, among the temporary files. */
function removeBrowserTmp({ browserTmp }: Leftover): void {
  if (path.dirname(browserTmp) === os.tmpdir() && isHostName(path.basename(browserTmp))) {
    fs.rmSync(browserTmp, { recursive: true, force: true });
  }
}

/** Null for what a host did not write: then only the folder goes. */
function readLeftover(file: string): Leftover | null {
  try {
    const { id, cgroup, browserTmp } = JSON.parse(fs.readFileSync(file, 'utf8'));
    if (typeof id !== 'string' || !/^[0-9a-f-]{36}$/.test(id)) return null;
    if (typeof browserTmp !== 'string') return null;
    if (cgroup === null) return { id, cgroup, browserTmp };
    const isOurs = typeof cgroup === 'string' && path.basename(cgroup) === hostCgroupName(id);
    return isOurs ? { id, cgroup, browserTmp } : null;
  } catch (error) {
    if (errnoOf(error) === null && !(error instanceof SyntaxError)) throw error;
    return null;
  }
}

function isHostName(name: string): boolean {
  return /^headroom-host-\w{6}$/.test(name);
}

function namesIn(folder: string): string[] {
  try {
    return fs.readdirSync(folder);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
    return [];
  }
}
