import type { VirtualMachine } from './virtual-machine.ts';

/** What a `Killed process` line of the kernel says, read without our collector. */
export interface KernelKill {
  pid: number;
  comm: string;
  /** anon + file + shmem */
  rssBytes: number;
}

const killLine =
  /Killed process (\d+) \((.*)\) total-vm:\d+kB, anon-rss:(\d+)kB, file-rss:(\d+)kB, shmem-rss:(\d+)kB/g;

/** The kills in the kernel's log since the last `dmesg -c`. */
export async function kernelKills(machine: VirtualMachine): Promise<KernelKill[]> {
  const log = await machine.text('dmesg');
  return [...log.matchAll(killLine)].map(([, pid, comm = '', ...sizes]) => ({
    pid: Number(pid),
    comm,
    rssBytes: sizes.reduce((sum, kb) => sum + Number(kb) * 1024, 0),
  }));
}
