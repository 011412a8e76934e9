import { hostCgroupIn, hostSessionVariable } from '../model/host-session.ts';
import type { CgroupLocation } from './cgroup/locate-cgroup.ts';
import type { TreeNode } from './chromium/browser-tree.ts';
import type { ProcFs } from './procfs/proc-fs.ts';
import { processCgroup } from './procfs/process-cgroup.ts';

/** Where a recording from inside a session is made. */
export interface SessionPlace {
  /** The memory cgroup that is the session's; null where there is none. */
  cgroup: CgroupLocation | null;
  /** What `headroom host` calls the session, in the environment of what it starts; null elsewhere. */
  hostSession: string | null;
}

/**
 * Tells the browsers of other sessions on this machine, where the place is a session of `headroom host`,
 * which are not machines of their own: by the session's memory cgroup, as the kernel has it, and where
 * the host may not make cgroups by the variable in their environment. Null anywhere else: there every
 * browser of the machine is the session's.
 */
export function strangersIn(
  { cgroup, hostSession }: SessionPlace,
  proc: ProcFs,
): ((browser: TreeNode) => boolean) | null {
  const name = cgroup?.levels.flatMap(({ path }) => hostCgroupIn(path) ?? [])[0];
  if (name !== undefined) return remembered((pid) => isInCgroup(proc, pid, name));
  if (hostSession === null) return null;
  const variable = `${hostSessionVariable}=${hostSession}\0`;
  return remembered((pid) => proc.text(`${pid}/environ`)?.includes(variable) ?? null);
}

function isInCgroup(proc: ProcFs, pid: number, name: string): boolean | null {
  const text = proc.text(`${pid}/cgroup`);
  if (text === null) return null;
  return processCgroup(text)?.split('/').includes(name) ?? false;
}

/** No process is moved from one session to another: it is asked once. Null: it could not be asked. */
function remembered(isOurs: (pid: number) => boolean | null): (browser: TreeNode) => boolean {
  const known = new WeakMap<TreeNode, boolean>();
  return (browser) => {
    const answer = known.get(browser) ?? isOurs(browser.pid);
    if (answer !== null) known.set(browser, answer);
    return answer !== true;
  };
}
