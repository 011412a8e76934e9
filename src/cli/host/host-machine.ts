import { readFileSync } from 'node:fs';
import { cgroupMembers, removeCgroupTree } from '../../collector/cgroup/cgroup-tree.ts';
import { createLimitedCgroup } from '../../collector/cgroup/limited-cgroup.ts';
import { KmsgReader } from '../../collector/kmsg/kmsg-reader.ts';
import { locateCgroupOf } from '../../collector/local-sources.ts';
import { readKernelUnits } from '../../collector/machine-facts.ts';
import { ProcFs } from '../../collector/procfs/proc-fs.ts';
import { parseProcessStat } from '../../collector/procfs/process-stat.ts';
import { systemClock } from '../../collector/sampler.ts';
import type { HostMachine, MachineProcess, SessionCgroup } from '../../host/machine.ts';
import { HeadroomError } from '../../model/errors.ts';
import { orNull } from '../../model/or-null.ts';

/** What the session host needs of this machine, by the readers of the collector. */
export function hostMachine(): HostMachine {
  const proc = new ProcFs();
  const { clockTicksPerSecond, pageSizeBytes } = readKernelUnits(proc);
  const startedMonotonicMs = systemClock.monotonicMs();
  const log = new KmsgReader({ startedMonotonicMs, pageSizeBytes });
  const process = (pid: number): MachineProcess | null => {
    const length = proc.read(`${pid}/stat`);
    return typeof length === 'number' ? parseProcessStat(proc.buffer, length) : null;
  };
  return {
    ticksPerSecond: clockTicksPerSecond,
    nowTicks: () => uptimeSeconds(proc) * clockTicksPerSecond,
    processes: () => proc.pids().flatMap((pid) => process(pid) ?? []),
    process,
    residentBytes: (pid) => {
      const pages = proc.text(`${pid}/statm`)?.split(' ')[1];
      return pages === undefined ? null : Number(pages) * pageSizeBytes;
    },
    commandLine: (pid) => {
      const length = proc.read(`${pid}/cmdline`);
      if (typeof length !== 'number' || length === 0) return [];
      return proc.buffer.toString('utf8', 0, length).replace(/\0$/, '').split('\0');
    },
    environment: (pid) => proc.text(`${pid}/environ`),
    mounts: (pid) => mountsOf(`${proc.root}/${pid}/mountinfo`),
    createCgroup,
    cgroupMembers,
    removeCgroup: removeCgroupTree,
    oomKills: () => {
      const { kills } = log.read(systemClock.monotonicMs(), Date.now());
      return kills.filter(({ beforeStart }) => !beforeStart);
    },
    close: () => log.close(),
  };
}

function createCgroup(name: string, limitBytes: number): SessionCgroup | { refusal: string } {
  try {
    const cgroup = createLimitedCgroup({ name, limitBytes, location: locateCgroupOf('self') });
    return { ...cgroup, limitBytes };
  } catch (error) {
    if (!(error instanceof HeadroomError)) throw error;
    return { refusal: error.message };
  }
}

// Longer than the buffer of a tick on machines with many mounts, and what counts is at its end.
function mountsOf(file: string): string | null {
  return orNull(() => readFileSync(file, 'utf8'));
}

function uptimeSeconds(proc: ProcFs): number {
  return Number((proc.text('uptime') ?? '0').split(' ')[0]);
}
