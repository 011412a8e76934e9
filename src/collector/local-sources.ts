import fs from 'node:fs';
import { hostSessionVariable } from '../model/host-session.ts';
import { CgroupFollower } from './cgroup/cgroup-follower.ts';
import { type CgroupLocation, locateCgroup } from './cgroup/locate-cgroup.ts';
import { SessionCgroup } from './cgroup/session-cgroup.ts';
import { MemoryDevices } from './memory-devices.ts';
import type { KernelUnits } from './procfs/machine-files.ts';
import { ProcFs } from './procfs/proc-fs.ts';
import { requireRootProcess } from './root-process.ts';
import { type Clock, type SamplerSources, systemClock } from './sampler.ts';
import { strangersIn } from './session-boundary.ts';

export interface LocalTarget {
  /** `--pid`: this process and its descendants are the browser; its cgroup is the session's. */
  rootPid: number | null;
  /** The memory cgroup that is the session's; null: that of the root process, else our own. */
  cgroup: CgroupLocation | null;
  /** Whether command lines are recorded, without credentials; default true. */
  storesCommands?: boolean;
  /** Share of one core that reading PSS may take; the sampler's default when left out. */
  pssCpuShare?: number;
  /** Of this process, default its own: by it a session of `headroom host` may be known. */
  env?: Readonly<Record<string, string | undefined>>;
}

// Room for the store, the kernel log and the cgroup's files.
const reservedDescriptors = 64;
const mostDescriptors = 4096;

/** Everything that is read on this machine, ready for a sampler. {@link requireRootProcess}. */
export function localSources(
  target: LocalTarget,
  units: KernelUnits,
  clock: Clock = systemClock,
): SamplerSources & { devices: MemoryDevices; follower: CgroupFollower } {
  const proc = new ProcFs();
  if (target.rootPid !== null) requireRootProcess(target.rootPid, proc);
  const location = target.cgroup ?? locateCgroupOf(target.rootPid ?? 'self', proc);
  const cgroup = new SessionCgroup(location);
  const follower = new CgroupFollower(cgroup, {
    proc,
    rootPid: target.rootPid,
    locate: (pid) => locateCgroupOf(pid, proc),
  });
  const hostSession = (target.env ?? process.env)[hostSessionVariable] ?? null;
  return {
    proc,
    units,
    readCgroup: (machineTotalBytes) => cgroup.read(machineTotalBytes),
    readCgroupPressure: () => cgroup.readPressure(),
    cgroupMoveCount: () => cgroup.moveCount,
    follower,
    devices: new MemoryDevices(),
    clock,
    rootPid: target.rootPid,
    isStranger: strangersIn({ cgroup: location, hostSession }, proc),
    storesCommands: target.storesCommands,
    descriptorLimit: descriptorLimit(proc),
    ...(target.pssCpuShare === undefined ? {} : { pssCpuShare: target.pssCpuShare }),
  };
}

/**
 * Where the memory cgroup of a process is; null where there is none. Found through our own mounts, as
 * it is we who read its files: a container has others.
 */
export function locateCgroupOf(
  process: number | 'self',
  proc: ProcFs = new ProcFs(),
): CgroupLocation | null {
  const cgroup = wholeText(proc, `${process}/cgroup`);
  if (cgroup === null) return null;
  return locateCgroup({ cgroup, mountinfo: wholeText(proc, 'self/mountinfo') });
}

// Read once, and longer than the tick's buffer on machines with many mounts.
function wholeText(proc: ProcFs, name: string): string | null {
  try {
    return fs.readFileSync(`${proc.root}/${name}`, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error) return null;
    throw error;
  }
}

function descriptorLimit(proc: ProcFs): number {
  const soft = /^Max open files\s+(\d+)/m.exec(proc.text('self/limits') ?? '')?.[1];
  const limit = soft === undefined ? 1024 : Number(soft);
  return Math.max(0, Math.min(mostDescriptors, limit - reservedDescriptors));
}
