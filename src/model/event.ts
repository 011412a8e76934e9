import type { GuestProcess, LimitWarning, VmChange } from './agentos.ts';
import type { PagePlacement, TargetCrash } from './page-event.ts';
import type { ProcessRole } from './process-role.ts';

/** Everything that happens at a moment rather than at every tick. Each is one row of `event`. */
export type RecordingEvent =
  | OomKill
  | ProcessExit
  | Gap
  | LimitChange
  | OomCounterJump
  | PagePlacement
  | TargetCrash
  | GuestProcess
  | LimitWarning
  | VmChange
  | Note;

export type OomScope = 'machine' | 'cgroup' | 'cpuset' | 'mempolicy' | 'unknown';

/** One kill by the kernel's out-of-memory killer, as its log tells it, or the telemetry of the session. */
export interface OomKill {
  kind: 'oom_kill';
  /** From the record's kernel clock; null when that cannot be tied to the wall clock. */
  timeUnixMs: number | null;
  /** Kernel clock of the record, ms since boot; null of telemetry. */
  kernelMs: number | null;
  /** Sequence number of the kmsg record that is the evidence; null of telemetry. */
  kmsgSequence: number | null;
  /** As the kernel numbers it: inside a container this is the host's pid. */
  pid: number;
  comm: string;
  uid: number | null;
  /** anon + file + shmem of the kill line; null when only the summary line was seen. */
  rssBytes: number | null;
  anonBytes: number | null;
  fileBytes: number | null;
  shmemBytes: number | null;
  totalVmBytes: number | null;
  pageTablesBytes: number | null;
  oomScoreAdj: number | null;
  scope: OomScope;
  /** Raw constraint of the summary line (`CONSTRAINT_MEMCG` …); kept even when unknown to us. */
  constraint: string | null;
  /** The cgroup whose limit was hit. */
  cgroup: string | null;
  /** The cgroup the victim was in. */
  taskCgroup: string | null;
  triggerPid: number | null;
  triggerComm: string | null;
  cgroupUsageBytes: number | null;
  cgroupLimitBytes: number | null;
  /** How many tasks the report listed; null without a table. */
  tasksListed: number | null;
  /** The largest listed task besides the victim, by RSS: the victim is not always the cause. */
  largestOtherPid: number | null;
  largestOtherComm: string | null;
  largestOtherRssBytes: number | null;
  /** The cgroup that was killed as a whole (memory.oom.group). */
  oomGroup: string | null;
  /**
   * Which lines were seen: the report from its header on; the kill line without a header (rate
   * limit, or the log began later); only the summary. `telemetry`: none by us, and the platform of the
   * session told it.
   */
  context: 'full' | 'kill_line_only' | 'summary_line_only' | 'telemetry';
  /** True when the record is older than the recording. */
  beforeStart: boolean;
}

/** A process that was there and is gone. */
export interface ProcessExit {
  kind: 'process_exit';
  /** By the kernel's clock (connector), else when its absence was noticed, at most a tick later. */
  timeUnixMs: number;
  pid: number;
  /** Null where there is no /proc to say. */
  startTicks: number | null;
  role: ProcessRole;
  /** Only where the kernel told us: one of the two, never both. */
  exitCode: number | null;
  signal: string | null;
  /**
   * How we know: our own child, the kernel's process connector, only that it is gone; or of a sidecar
   * of agentOS, whose owner is the process that records (its child, and no command of ours).
   */
  source: 'parent' | 'connector' | 'vanished' | 'owner';
}

export type GapKind = 'standby' | 'clock_step' | 'stall' | 'restart' | 'lost';

/** A stretch of time about which the recording says nothing. Never filled in. */
export interface Gap {
  kind: 'gap';
  gap: GapKind;
  fromUnixMs: number;
  toUnixMs: number;
  timeUnixMs: number;
  /** How much the wall clock and the monotonic clock moved between the two samples. */
  wallMs: number;
  monotonicMs: number;
}

/** The limit that binds is another one from now on. */
export interface LimitChange {
  kind: 'limit_change';
  timeUnixMs: number;
  fromBytes: number;
  toBytes: number;
}

/** The kernel's kill counter moved; whether there are records for it, the reader compares. */
export interface OomCounterJump {
  kind: 'oom_counter';
  timeUnixMs: number;
  /** `/proc/vmstat` counts the whole kernel, the cgroup's counter only the session. */
  counter: 'machine' | 'cgroup';
  count: number;
}

/** Anything else worth a line: what could not be read, a full disk, a change of cadence. */
export interface Note {
  kind: 'note';
  timeUnixMs: number;
  code:
    | 'kmsg_unavailable'
    | 'kmsg_overrun'
    | 'exits_unavailable'
    | 'exits_lost'
    | 'oom_without_victim'
    /** A service of the session ended unasked, by the session's telemetry. */
    | 'service_crashed'
    /** That telemetry told more than is taken: the later part is missing. */
    | 'telemetry_lost'
    /** A kill by earlyoom or systemd-oomd, in its own words out of the kernel's log. */
    | 'userspace_oom'
    | 'store_full'
    | 'store_busy'
    | 'source_unreadable'
    | 'cadence_changed'
    | 'over_budget'
    /** `--pid`: the process that was recorded, with its descendants. */
    | 'root_process'
    /**
     * What is recorded lives in another memory cgroup than the one that was read so far: from this
     * sample on its figures are those of its own. `found`: nothing of the session had been in the other
     * one; `moved`: it had.
     */
    | 'cgroup_found'
    | 'cgroup_moved'
    /** What the recorder did for itself: oom_score_adj and niceness. */
    | 'self_protection'
    /** A line of Chromium's own log that tells why one of its processes ended itself. */
    | 'browser_log'
    /** A process met its limit of data (RLIMIT_DATA), in the kernel's words. */
    | 'data_limit'
    /** /dev/shm is nearly full, and the browser keeps its shared memory there. */
    | 'dev_shm_low'
    /** Headroom was asked to end, and passed the signal on to the command that it records. */
    | 'stop_asked'
    /** Pages are not watched, or not any more, and why. */
    | 'pages_unavailable'
    /** Told faster than they were taken, or not in our words. */
    | 'pages_lost'
    /** A rule of `--alert` began to hold, or holds no more. */
    | 'alert'
    | 'alert_over'
    /** This recording was made of what could be read of a damaged one. */
    | 'salvaged';
  message: string;
}
