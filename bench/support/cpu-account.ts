import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Counts the CPU time of one command together with all that it forks. */
export interface CpuAccount {
  /** The command in a form that is counted from its start; its pid becomes the command's. */
  wrap(command: readonly string[]): readonly string[];
  /** User and system time so far, ms. */
  cpuMs(pid: number): number;
  /** Gives the account back. What was counted must have ended. */
  close(): Promise<void>;
}

interface Hierarchy {
  root: string;
  usageFile: string;
  milliseconds(text: string): number;
}

const hierarchies: readonly Hierarchy[] = [
  {
    // cgroup-v1/cpuacct.rst: nanoseconds
    root: '/sys/fs/cgroup/cpuacct',
    usageFile: 'cpuacct.usage',
    milliseconds: (text) => Number(text) / 1e6,
  },
  {
    // cgroup-v2.rst: there in every group, also without the cpu controller
    root: '/sys/fs/cgroup',
    usageFile: 'cpu.stat',
    milliseconds: (text) => Number(/^usage_usec (\d+)$/m.exec(text)?.[1]) / 1e3,
  },
];

let accounts = 0;

/**
 * A cgroup of its own (v1 cpuacct, else v2), exact to the nanosecond and whole also for children
 * that live for milliseconds; where none can be made, the 10 ms steps of /proc/<pid>/stat.
 */
export function openCpuAccount(): CpuAccount {
  accounts++;
  for (const hierarchy of hierarchies) {
    if (!fs.existsSync(path.join(hierarchy.root, 'cgroup.procs'))) continue;
    const group = path.join(hierarchy.root, `headroom-bench-${process.pid}-${accounts}`);
    if (made(group)) return cgroupAccount(group, hierarchy);
  }
  return processAccount;
}

function made(group: string): boolean {
  try {
    fs.mkdirSync(group);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false;
    throw error;
  }
}

function cgroupAccount(group: string, { usageFile, milliseconds }: Hierarchy): CpuAccount {
  return {
    wrap: (command) => [
      ...['/bin/sh', '-c', 'echo $$ > "$0" && exec "$@"', path.join(group, 'cgroup.procs')],
      ...command,
    ],
    cpuMs: () => milliseconds(fs.readFileSync(path.join(group, usageFile), 'utf8')),
    close: () => remove(group),
  };
}

// A process that was killed stays in its group until its parent has taken note.
async function remove(group: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      fs.rmdirSync(group);
      return;
    } catch (error) {
      const isBusy = error instanceof Error && 'code' in error && error.code === 'EBUSY';
      if (!isBusy || attempt === 100) throw error;
    }
    await sleep(50);
  }
}

const tickMs = 10;

// utime, stime, and those of the children that were waited for (proc_pid_stat(5)).
const processAccount: CpuAccount = {
  wrap: (command) => command,
  cpuMs: (pid) => {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) * tickMs;
  },
  close: async () => undefined,
};
