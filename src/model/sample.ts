import type { AgentOsReading } from './agentos.ts';
import type { ProcessRole } from './process-role.ts';

/**
 * One reading of the whole session. Everything is as the kernel said it, turned into bytes and
 * milliseconds and nothing else; `null` is "this machine did not tell", `0` is "it told zero".
 * Cumulative figures stay cumulative: a rate is made from two samples, when reading.
 */
export interface Sample {
  /** Position in the recording, from 1, without holes; a hole is a lost sample. */
  sequence: number;
  /** Wall clock (CLOCK_REALTIME) when the reading began. */
  timeUnixMs: number;
  /** CLOCK_MONOTONIC when the reading began: does not run while the machine is suspended. */
  monotonicMs: number;
  /** The planned distance to the sample before, at the time this one was taken. */
  intervalMs: number;
  machine: MachineMemory;
  cgroup: CgroupMemory | null;
  pressure: Pressure;
  activity: MachineActivity;
  browser: BrowserTotals;
  collector: CollectorCost;
  /** Where a VM of agentOS is recorded; left out of all other recordings. */
  agentOs?: AgentOsReading | null;
  processes: readonly ProcessReading[];
  /** What should have been read and could not be, with the reason; empty in the normal case. */
  unreadable: readonly Unreadable[];
}

/** `/proc/meminfo` (proc_meminfo(5)); kB there, bytes here. */
export interface MachineMemory {
  totalBytes: number;
  freeBytes: number;
  /** MemAvailable; null before Linux 3.14. */
  availableBytes: number | null;
  buffersBytes: number | null;
  cachedBytes: number | null;
  inactiveFileBytes: number | null;
  /** AnonPages */
  anonBytes: number | null;
  shmemBytes: number | null;
  /** SUnreclaim + KernelStack + PageTables: kernel memory that cannot be given back. */
  kernelBytes: number | null;
  swapTotalBytes: number | null;
  swapFreeBytes: number | null;
  /** What compressed swap in memory takes; null without zram. */
  zramBytes: number | null;
  /** What lies in /dev/shm; part of shmemBytes, which counts all tmpfs and memfd. */
  devShmUsedBytes: number | null;
}

export type LimitSource = 'machine' | 'cgroup_v1' | 'cgroup_v2';

/**
 * The memory cgroup of the session (admin-guide/cgroup-v2.rst, admin-guide/cgroup-v1/memory.rst).
 * The figures are those of the cgroup whose limit binds: the session's own or a parent's.
 */
export interface CgroupMemory {
  version: 1 | 2;
  /** Path of that cgroup below the mount point, `/` for the root. */
  path: string;
  /** Smallest limit on the way up to the root; null when none is set (a sentinel is not a limit). */
  limitBytes: number | null;
  /** memory.current, memory.usage_in_bytes */
  chargedBytes: number | null;
  /** inactive_file of the hierarchy (total_inactive_file on v1). */
  inactiveFileBytes: number | null;
  anonBytes: number | null;
  shmemBytes: number | null;
  /** v2 `kernel`; v1 memory.kmem.usage_in_bytes. */
  kernelBytes: number | null;
  swapBytes: number | null;
  /** memory.peak or memory.max_usage_in_bytes: the kernel's own high-water mark of the charge. */
  peakBytes: number | null;
  /** `oom_kill` of memory.events or memory.oom_control, cumulative. */
  oomKillCount: number | null;
  /** memory.failcnt, or `max` and `high` of memory.events: how often the limit was hit, cumulative. */
  limitHitCount: number | null;
}

/**
 * Cumulative stall time since boot, from `/proc/pressure/*` (accounting/psi.rst), or of the
 * session's cgroup where that has its own. "some": at least one task waited; "full": all did.
 */
export interface Pressure {
  memorySomeMs: number | null;
  memoryFullMs: number | null;
  cpuSomeMs: number | null;
  ioSomeMs: number | null;
  ioFullMs: number | null;
}

/** `/proc/vmstat` and `/proc/stat`, cumulative since boot. */
export interface MachineActivity {
  cpuUserMs: number | null;
  cpuSystemMs: number | null;
  cpuIdleMs: number | null;
  cpuIowaitMs: number | null;
  cpuStealMs: number | null;
  /** Processes and threads ever created (`processes` of /proc/stat). */
  forkCount: number | null;
  majorFaultCount: number | null;
  /** workingset_refault_file: file pages that were thrown out and needed again. */
  refaultFileCount: number | null;
  refaultAnonCount: number | null;
  swapInBytes: number | null;
  swapOutBytes: number | null;
  /** How often a task had to free memory itself before it got any (allocstall_*). */
  directReclaimCount: number | null;
  /** Memory taken back from caches and swap (pgsteal_kswapd + pgsteal_direct). */
  reclaimedBytes: number | null;
  /** OOM kills of the whole kernel since boot. */
  oomKillCount: number | null;
}

/** Sums over the browser's processes at one instant. */
export interface BrowserTotals {
  processCount: number;
  /** Shared pages are counted once per process: 3 to 9 times the truth. Never a footprint. */
  rssSumBytes: number | null;
  /**
   * Anonymous memory, less what each child still shares with its zygote, plus shared memory:
   * within 2.3 % of what the kernel charges (docs/metrics.md).
   */
  unreclaimableBytes: number | null;
  /** Sum of PSS, each the last reading plus the change of anonymous memory since; null until every process was read once. */
  pssEstimatedBytes: number | null;
  zombieCount: number;
}

/** What the collector itself costs; kept apart from the browser's figures. */
export interface CollectorCost {
  pid: number;
  /** How long this reading took, wall time; null where the sampler cannot tell. */
  readMs: number | null;
  /** How much later than planned it began. */
  latenessMs: number;
  /** Ticks that the schedule had and that were not taken, since the start. */
  missedTickCount: number;
  /** User and system time of the collector, cumulative. */
  cpuMs: number;
  rssBytes: number | null;
}

/**
 * What seldom changes in the life of a process, as it was read last: the command line when the
 * process began or took another program, the rest, which is known of a browser's processes only,
 * every 5 s in its first half minute and every 30 s from then on.
 */
export interface ProcessFacts {
  /**
   * Arguments joined by blanks, with credentials removed (docs/command-lines.md); null where there is
   * none to read, or when command lines are not to be recorded.
   */
  command: string | null;
  /** −1000 to 1000: what is added to the score by which the OOM killer chooses, in thousandths. */
  oomScoreAdj: number | null;
  /** Path of its memory cgroup, or of its unified one where memory has none of its own. */
  cgroup: string | null;
  /** Open file descriptors. */
  descriptorCount: number | null;
  /** Fetched from and sent to storage, cumulative; null for another user's process. */
  readBytes: number | null;
  writtenBytes: number | null;
}

/** One process at one instant: `/proc/<pid>/stat`, `statm`, and at a slower pace the dear files. */
export interface ProcessReading extends ProcessFacts {
  pid: number;
  startTicks: number;
  parentPid: number;
  /** As the kernel keeps it (at most 15 bytes), bytes outside printable UTF-8 written `\xNN`. */
  comm: string;
  /** Base name of the executable; null where it cannot be read (another user's process). */
  executable: string | null;
  role: ProcessRole;
  /** Pid of the browser process this one belongs to; null when it belongs to none. */
  browserPid: number | null;
  /** State letter of `stat`: R S D Z T … */
  state: string;
  rssBytes: number | null;
  /** resident − shared of statm; equals RssAnon. */
  anonBytes: number | null;
  /** RssShmem of `status`; read every few seconds, the last reading is carried in between. */
  shmemBytes: number | null;
  /** PSS, only in the sample in which it was read (`smaps_rollup`); null in all others. */
  pssBytes: number | null;
  pssAnonBytes: number | null;
  pssShmemBytes: number | null;
  swapBytes: number | null;
  /** Last PSS plus the change of anonymous memory since; equals pssBytes when just read. */
  pssEstimatedBytes: number | null;
  /** VmHWM: highest RSS so far; read together with shmemBytes. */
  peakRssBytes: number | null;
  /** User and system time, cumulative; 10 ms steps. */
  cpuMs: number;
  /** Null where the kernel does not tell it to us (the portable source, macOS). */
  threadCount: number | null;
  majorFaultCount: number | null;
}

/** A source that could not be read. */
export interface Unreadable {
  /** The file, as under /proc or /sys. */
  source: string;
  reason: 'denied' | 'missing' | 'malformed' | 'failed';
}
