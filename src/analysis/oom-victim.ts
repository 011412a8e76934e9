import type { OomKill } from '../model/event.ts';
import { gapThresholdMs } from '../model/gap.ts';
import { hasEnded, type ProcessReport } from './processes.ts';
import type { SlowReadings } from './slow-readings.ts';

/**
 * How a kill was tied to this recording: by its pid; by name, time and size, because the kernel
 * counts pids otherwise than this container does; by the cgroup whose limit was hit alone, the
 * session's or another; by the session's own telemetry, which told it; or not at all: the kernel's log
 * is one for all containers of a host.
 */
export type OomAttribution = 'pid' | 'inferred' | 'cgroup' | 'telemetry' | 'none';

/** What is asked of a process to tell whether a kill hit it. */
export type Victim = Pick<
  ProcessReport,
  | 'pid'
  | 'startTicks'
  | 'comm'
  | 'role'
  | 'browserPid'
  | 'firstUnixMs'
  | 'lastUnixMs'
  | 'peakRssBytes'
  | 'exit'
  | 'isZombie'
>;

export interface VictimMatch {
  attribution: OomAttribution;
  victim: Victim | null;
}

export interface VictimContext {
  processes: readonly Victim[];
  intervalMs: number;
  endUnixMs: number | null;
  slowReadings: SlowReadings;
}

// The kernel's log clock and the wall clock are tied to each other to within a second or two.
const clockSlackMs = 2_000;
// A process of gigabytes on a machine out of memory takes its time to be torn down.
const teardownMs = 10_000;
// Two readings of one process: the last sample before the kill, and the kernel's at the kill.
const similarRatio = 0.2;

/**
 * The process that a kill hit. A pid alone proves nothing: pids are reused, and inside a container the
 * log has the host's pids, which other processes may have here. So the process must carry the name that
 * the kernel logged, have lived at the kill, and be gone after it. Without the pid (`inferred`) it must
 * also be Chromium's, of similar size, have vanished in the very interval, and be the only such one.
 */
export function findVictim(
  kill: OomKill,
  by: 'pid' | 'inferred',
  context: VictimContext,
): Victim | null {
  const candidates = context.processes.filter(
    (process) =>
      process.comm === kill.comm &&
      (by === 'pid' ? process.pid === kill.pid : isLikelyVictim(process, kill, context)) &&
      livedUntil(process, kill, context),
  );
  return candidates.length === 1 ? (candidates[0] ?? null) : null;
}

function livedUntil(process: Victim, kill: OomKill, context: VictimContext): boolean {
  const { timeUnixMs } = kill;
  if (timeUnixMs === null) return hasEnded(process);
  if (process.firstUnixMs > timeUnixMs + clockSlackMs) return false;
  const latestMs = timeUnixMs + gapThresholdMs(context.intervalMs) + teardownMs;
  // A zombie is dead and still listed: its last sample says nothing of its end.
  if (process.isZombie) return true;
  if (process.exit === null) return isEndOfRecording(timeUnixMs, context);
  const noticedUnixMs = process.exit.timeUnixMs;
  const lastWordUnixMs = noticedUnixMs + (context.slowReadings.get(noticedUnixMs) ?? 0);
  return lastWordUnixMs >= timeUnixMs - clockSlackMs && noticedUnixMs <= latestMs;
}

// Killed with the last sample or after it: nobody looked any more whether it is gone.
function isEndOfRecording(timeUnixMs: number, { endUnixMs, intervalMs }: VictimContext): boolean {
  return endUnixMs !== null && timeUnixMs >= endUnixMs - gapThresholdMs(intervalMs);
}

function isLikelyVictim(process: Victim, kill: OomKill, { intervalMs }: VictimContext): boolean {
  if (process.role === 'other' || process.exit === null) return false;
  if (kill.timeUnixMs === null || kill.rssBytes === null || process.peakRssBytes === null) {
    return false;
  }
  const isInInterval =
    kill.timeUnixMs >= process.lastUnixMs - clockSlackMs &&
    kill.timeUnixMs <= process.lastUnixMs + gapThresholdMs(intervalMs);
  const differenceBytes = Math.abs(process.peakRssBytes - kill.rssBytes);
  return isInInterval && differenceBytes <= similarRatio * kill.rssBytes;
}
