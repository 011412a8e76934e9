import type { Note, RecordingEvent } from '../model/event.ts';
import { gapThresholdMs } from '../model/gap.ts';
import type { Recording } from '../model/recording.ts';
import type { Tick } from '../model/session-memory.ts';
import { type DaemonKill, oomDaemonNames, parseDaemonKill } from '../model/userspace-oom.ts';
import { formatInstant, formatRatio } from './format.ts';
import type { ProcessReport } from './processes.ts';

/** What is known of user-space OOM daemons; for the question who ended a process. */
export interface OomDaemons {
  /** Kills that a daemon wrote into the kernel's log. */
  told: readonly ToldKill[];
  running: readonly ProcessReport[];
  /** Why such a daemon may have acted at that time, in words; null: memory was not short. */
  shortageAt(unixMs: number): string | null;
}

export interface ToldKill extends DaemonKill {
  timeUnixMs: number;
  line: string;
}

// Their defaults: earlyoom acts below 10 % of memory and of swap, systemd-oomd above 90 % of swap used
// or when tasks wait for memory for more than half of the time.
const shortRatio = 0.1;
const waitingShare = 0.5;
const windowMs = 10_000;
// earlyoom waits so long for a process that it asked to end.
const patienceMs = 10_000;

export function oomDaemonsOf(
  recording: Recording,
  events: readonly RecordingEvent[],
  processes: readonly ProcessReport[],
): OomDaemons {
  return {
    told: events
      .filter((event) => event.kind === 'note')
      .filter(({ code }) => code === 'userspace_oom')
      .flatMap(toldKill),
    running: processes.filter(({ comm }) => oomDaemonNames.includes(comm)),
    shortageAt: (unixMs) => shortageIn(recording, unixMs),
  };
}

/** The kill in the log that ended this process; null: none. */
export function toldKillOf(
  process: ProcessReport,
  { told }: OomDaemons,
  intervalMs: number,
): ToldKill | null {
  const slackMs = gapThresholdMs(intervalMs);
  const endUnixMs = process.exit?.timeUnixMs ?? process.lastUnixMs;
  const isAround = ({ timeUnixMs }: ToldKill) =>
    timeUnixMs >= process.lastUnixMs - slackMs - patienceMs && timeUnixMs <= endUnixMs + slackMs;
  return told.filter(isAround).find((kill) => isVictim(process, kill)) ?? null;
}

/** A daemon that was there when the process ended, in words; null: none was. */
export function daemonBeside(
  process: ProcessReport,
  { running }: OomDaemons,
  intervalMs: number,
): string | null {
  const endUnixMs = process.exit?.timeUnixMs ?? process.lastUnixMs;
  const slackMs = gapThresholdMs(intervalMs);
  const daemon = running.find(
    ({ firstUnixMs, lastUnixMs }) => firstUnixMs <= endUnixMs && lastUnixMs >= endUnixMs - slackMs,
  );
  return daemon === undefined ? null : `${daemon.comm} (pid ${daemon.pid}) was running`;
}

function toldKill({ message, timeUnixMs }: Note): ToldKill[] {
  const kill = parseDaemonKill(message);
  return kill === null ? [] : [{ ...kill, timeUnixMs, line: message }];
}

function isVictim(process: ProcessReport, { pid, cgroup }: ToldKill): boolean {
  if (pid !== null) return process.pid === pid;
  if (cgroup === null || process.cgroup === null) return false;
  return process.cgroup === cgroup || process.cgroup.startsWith(`${cgroup}/`);
}

function shortageIn(recording: Recording, unixMs: number): string | null {
  const ticks = [...recording.ticks({ fromUnixMs: unixMs - windowMs, toUnixMs: unixMs })];
  const least = ticks.toSorted((a, b) => left(a) - left(b))[0];
  if (least !== undefined && left(least) <= shortRatio) {
    return `only ${formatRatio(left(least))} of the machine's memory was available at ${formatInstant(least.timeUnixMs)}`;
  }
  const share = waitingOf(ticks);
  if (share === null || share < waitingShare) return null;
  return `processes waited for memory for ${formatRatio(share)} of the time before`;
}

// Memory and swap must both be short.
function left({ machine }: Tick): number {
  if (machine.availableBytes === null) return Number.POSITIVE_INFINITY;
  const ofMemory = machine.availableBytes / machine.totalBytes;
  const { swapTotalBytes, swapFreeBytes } = machine;
  if (swapTotalBytes === null || swapTotalBytes === 0 || swapFreeBytes === null) return ofMemory;
  return Math.max(ofMemory, swapFreeBytes / swapTotalBytes);
}

function waitingOf(ticks: readonly Tick[]): number | null {
  const first = ticks[0];
  const last = ticks.at(-1);
  const from = first?.pressure.memorySomeMs ?? null;
  const to = last?.pressure.memorySomeMs ?? null;
  if (first === undefined || last === undefined || from === null || to === null) return null;
  const elapsedMs = last.monotonicMs - first.monotonicMs;
  return elapsedMs > 0 ? (to - from) / elapsedMs : null;
}
