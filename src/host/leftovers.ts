import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { errnoOf } from '../model/errors.ts';
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

async function endLeftover({ id, cgroup, browserTmp }: Leftover, machine: HostMachine) {
  const members = new SessionMembers({
    sessionId: id,
    cgroup: cgroup === null ? null : { directory: cgroup },
    machine,
  });
  await members.killAll();
  for (let triesLeft = 50; cgroup !== null && !machine.removeCgroup(cgroup); triesLeft--) {
    if (triesLeft === 0) break;
    await sleep(20);
  }
  // Only what a host makes: a folder of a name of its own, among the temporary files.
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
    const isOurs = typeof cgroup === 'string' && path.basename(cgroup) === `headroom-host-${id}`;
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
