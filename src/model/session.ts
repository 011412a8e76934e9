import type { LimitSource } from './sample.ts';

/**
 * `copied` is no end: the file is a copy, and when it was made the recording went on. `detached`: the
 * program that records a VM of agentOS had enough; `vm_lost`: its sidecar died.
 */
export const endReasons = [
  'duration',
  'signal',
  'command_exited',
  'deleted',
  'lost',
  'copied',
  'detached',
  'vm_lost',
] as const;

export type EndReason = (typeof endReasons)[number];

/** What is true of the whole recording. */
export interface SessionFacts {
  /** Random and unguessable (UUID); `session.id` on the wire. */
  id: string;
  /** Where it was recorded: `local`; `agentos`, by the process that owns the VM. */
  source: string;
  labels: Readonly<Record<string, string>>;
  startedUnixMs: number;
  /** Null while recording, and for ever after a `kill -9`. */
  endedUnixMs: number | null;
  /** Null while recording; a reader that finds no writer says `lost`. */
  endReason: EndReason | null;
  intervalMs: number;
  machine: MachineFacts;
  collectorVersion: string;
}

export interface MachineFacts {
  /** `/proc/sys/kernel/random/boot_id`; null where there is none (macOS). */
  bootId: string | null;
  /** `uname -r` */
  kernel: string;
  hostName: string;
  /** These three are null when the row of the session was lost, and with it what was known. */
  cpuCount: number | null;
  memoryTotalBytes: number | null;
  limitBytes: number | null;
  limitSource: LimitSource;
  /** `Chromium 156.0.…` where the browser was started by us or could be asked. */
  browserVersion: string | null;
  /** Which source the samples come from: the kernel, or the portable fall-back. */
  sampleSource: 'proc' | 'portable';
  clockTicksPerSecond: number;
  pageSizeBytes: number;
}
