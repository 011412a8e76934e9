import type { OomKill } from '../model/event.ts';

/** A process as the kernel lists it. */
export interface MachineProcess {
  pid: number;
  parentPid: number;
  /** Together with the pid its identity. */
  startTicks: number;
  comm: string;
  /** One letter of proc_pid_stat(5): `R`, `S`, `D`, `Z` … */
  state: string;
  /** User and system time so far. */
  cpuTicks: number;
}

/** The memory cgroup of one session. */
export interface SessionCgroup {
  directory: string;
  /** As the kernel names it in its log, below the mount point. */
  path: string;
  limitBytes: number;
  /** Whoever writes `0` or its pid to this file moves in. */
  procsFile: string;
}

/**
 * What the host needs of the machine it runs on. It is handed in: the readers of the kernel's files
 * belong to the collector.
 */
export interface HostMachine {
  ticksPerSecond: number;
  /** CLOCK_BOOTTIME in ticks, the clock of {@link MachineProcess.startTicks}. */
  nowTicks(): number;
  /** Every process of the machine. */
  processes(): readonly MachineProcess[];
  process(pid: number): MachineProcess | null;
  /** Resident bytes; null when the process is gone or has no memory. */
  residentBytes(pid: number): number | null;
  /** The arguments, the program first; empty when they cannot be read. */
  commandLine(pid: number): readonly string[];
  /** The first variables of its environment as text; null when it may not be read. */
  environment(pid: number): string | null;
  /** What it has mounted, proc_pid_mountinfo(5); null when it may not be read. */
  mounts(pid: number): string | null;
  /** Makes the cgroup, or says why it cannot. */
  createCgroup(name: string, limitBytes: number): SessionCgroup | { refusal: string };
  /** The processes in a cgroup and those below it; empty when it is gone. */
  cgroupMembers(directory: string): readonly number[];
  /** Removes an empty cgroup and those below it; false while something is in it. */
  removeCgroup(directory: string): boolean;
  /** The OOM kills of the kernel's log since the last call; none from before the host. */
  oomKills(): readonly OomKill[];
  close(): void;
}
