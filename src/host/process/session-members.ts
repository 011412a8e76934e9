import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { errnoOf } from '../../model/errors.ts';
import { hostSessionVariable } from '../../model/host-session.ts';
import type { HostMachine, MachineProcess, SessionCgroup } from '../machine.ts';

export interface SessionMembersOptions {
  sessionId: string;
  cgroup: Pick<SessionCgroup, 'directory'> | null;
  machine: HostMachine;
}

const betweenRoundsMs = 20;
/** Processes in the kernel's hands (state D) may take a while to die. */
const longestKillMs = 30_000;

/**
 * All processes of one session, whoever started them: those in its cgroup, those that carry its
 * variable in their environment or have its folder mounted as their /tmp, and what descends from them. A
 * `setsid` gets out of none of these. Who leaves the cgroup and clears its environment, as root may,
 * still has the mount, and so has all that it starts.
 */
export class SessionMembers {
  readonly #options: SessionMembersOptions;

  constructor(options: SessionMembersOptions) {
    this.#options = options;
  }

  /** Those that live; with a cgroup it alone is asked, which is cheap. */
  list(): readonly MachineProcess[] {
    const { cgroup, machine } = this.#options;
    if (cgroup === null) return this.#marked();
    const pids = machine.cgroupMembers(cgroup.directory);
    return pids.flatMap((pid) => machine.process(pid) ?? []);
  }

  find(pid: number): MachineProcess | null {
    return this.list().find((process) => process.pid === pid) ?? null;
  }

  /** Kills until nothing is left; false when something will not die. */
  async killAll(): Promise<boolean> {
    for (const startMs = performance.now(); ; await sleep(betweenRoundsMs)) {
      if (this.killOnce() === 0) return true;
      if (performance.now() - startMs > longestKillMs) return false;
    }
  }

  /** Kills those that live now; gives how many that were. */
  killOnce(): number {
    const living = [...this.list(), ...this.#marked()].filter(({ state }) => state !== 'Z');
    for (const { pid } of living) kill(pid);
    return living.length;
  }

  #marked(): MachineProcess[] {
    const { machine, sessionId } = this.#options;
    const marker = `${hostSessionVariable}=${sessionId}`;
    // Of the folder of the session; ids are unguessable.
    const mount = `${path.posix.join('/', sessionId, 'root', 'tmp')} `;
    const all = machine.processes().filter(({ pid }) => pid !== process.pid);
    const found = new Set(
      all.flatMap(({ pid }) =>
        machine.environment(pid)?.includes(marker) || machine.mounts(pid)?.includes(mount)
          ? pid
          : [],
      ),
    );
    // What is hidden by none of them; a few rounds, as children may be listed first.
    for (let before = -1; before !== found.size; ) {
      before = found.size;
      for (const { pid, parentPid } of all) if (found.has(parentPid)) found.add(pid);
    }
    return all.filter(({ pid }) => found.has(pid));
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    const errno = errnoOf(error);
    if (errno !== 'ESRCH' && errno !== 'EPERM') throw error;
  }
}
