/**
 * What a VM of agentOS and the process that runs it, the sidecar, said at one tick
 * (docs/agentos.md). Of the VM itself unless the name says `sidecar`: that one may run other VMs as
 * well, and its memory is then no VM's. Null: it did not answer, it may not be asked, or it was not at
 * this tick: counters and limits are asked for with every second one, and when the processes changed.
 */
export interface AgentOsReading {
  /** Guest processes that have not ended; stopped ones are part of them. */
  processCount: number | null;
  stoppedCount: number | null;
  openFdCount: number | null;
  pipeCount: number | null;
  ptyCount: number | null;
  socketCount: number | null;
  connectionCount: number | null;
  /** The rest is told without a name of the VM: null unless it is alone on its sidecar. */
  processLimit: number | null;
  openFdLimit: number | null;
  pipeLimit: number | null;
  ptyLimit: number | null;
  socketLimit: number | null;
  connectionLimit: number | null;
  filesystemBytes: number | null;
  filesystemLimitBytes: number | null;
  inodeCount: number | null;
  inodeLimit: number | null;
  /** VMs on the sidecar, by its owner's count. */
  sidecarVmCount: number | null;
  /** Live V8 sessions of the sidecar: guest JavaScript, and guest WebAssembly's runner. */
  sidecarV8SessionCount: number | null;
  /** CPU time of the one of them that has the most; the limit is that of a session. */
  sidecarV8CpuMaxMs: number | null;
  sidecarV8CpuLimitMs: number | null;
  sidecarRssBytes: number | null;
  /** VmHWM: the highest RSS in the life of the sidecar. */
  sidecarPeakRssBytes: number | null;
  sidecarCpuMs: number | null;
  sidecarThreadCount: number | null;
}

export const guestStates = ['running', 'stopped', 'exited'] as const;
export type GuestState = (typeof guestStates)[number];

/**
 * How the end of a guest process is known: the VM told it (`event`, `snapshot`: the code is the
 * guest's own), it is only gone from the table, or it went with the VM, which was disposed of or lost.
 * Only the first two have a code; nobody tells a signal.
 */
export const guestEndSources = ['event', 'snapshot', 'vanished', 'vm_disposed', 'vm_lost'] as const;
export type GuestEndSource = (typeof guestEndSources)[number];

/** A guest process was met, changed or ended: all that is known of it from here on. */
export interface GuestProcess {
  kind: 'guest_process';
  /** When it was noticed; an end that the VM told, when it was told. */
  timeUnixMs: number;
  change: 'seen' | 'state' | 'parent' | 'ended';
  /** The VM's own name of it: `proc-1000000/child-1` is a child of `proc-1000000`. */
  processId: string;
  /** In the VM, from 1; null when it ended before it was seen. */
  pid: number | null;
  /** 0: it has none, or lost it. */
  parentPid: number | null;
  groupPid: number | null;
  sessionPid: number | null;
  state: GuestState;
  /** Without arguments; null where the VM tells none, as of WebAssembly started by a guest. */
  command: string | null;
  /** Known only of what the owner of the VM started. */
  startedUnixMs: number | null;
  /** As the VM has it. 137 is what SIGKILL and `exit(137)` both give. */
  exitCode: number | null;
  /** Null until it has ended. */
  endSource: GuestEndSource | null;
}

/** The sidecar warned that a limit is nearly or wholly used up. */
export interface LimitWarning {
  kind: 'limit_warning';
  timeUnixMs: number;
  /** As the sidecar names it: `v8_heap_bytes`, `vm_processes`, `v8_cpu_time_ms` … */
  limit: string;
  category: string;
  observed: number | null;
  capacity: number | null;
  /** 1: all of it. */
  fillRatio: number | null;
  /** VMs on the sidecar at that time. It does not say which one: with two or more nobody knows. */
  vmCount: number | null;
}

/** The recording of a VM began or ended, or why. */
export interface VmChange {
  kind: 'vm';
  timeUnixMs: number;
  /**
   * `attached`; `detached`: the recording was ended and the VM goes on; `disposed`: its owner gave it
   * up; `lost`: the sidecar died, and every VM in it.
   */
  state: 'attached' | 'detached' | 'disposed' | 'lost';
  vmId: string;
  sidecarPid: number | null;
  sidecarStartTicks: number | null;
  /** VMs on the sidecar at that time. */
  vmCount: number | null;
  /** How the sidecar ended, where its owner was told. */
  exitCode: number | null;
  signal: string | null;
  /** What the client of the sidecar said of its loss. */
  message: string | null;
}
