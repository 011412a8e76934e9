import type { Note, ProcessExit, RecordingEvent } from '../../model/event.ts';
import { formatBytes } from '../../model/format-bytes.ts';
import { agentOsEventWords } from '../agentos-wording.ts';
import { formatDuration } from '../format.ts';
import { membershipRank } from '../membership.ts';
import type { TopEvent } from './top-view.ts';

const mostEvents = 50;

/** How long before or after a kill of which there is a record the counter's move tells nothing new. */
const sameKillMs = 10_000;

// The others are about the recorder's own work.
const shownNotes: ReadonlySet<Note['code']> = new Set<Note['code']>([
  'kmsg_unavailable',
  'exits_unavailable',
  'oom_without_victim',
  'service_crashed',
  'telemetry_lost',
  'userspace_oom',
  'browser_log',
  'data_limit',
  'dev_shm_low',
  'store_full',
  'stop_asked',
  'alert',
  'alert_over',
  'salvaged',
]);

/** An event, and of a kill or an end whether it hit the session; null: not known. */
export interface PlacedEvent {
  event: RecordingEvent;
  inSession: boolean | null;
}

/**
 * What is worth a line of the last events, in words; the last 50. `isMachine`: the session has no limit
 * of its own, and what hits the machine hits it.
 */
export function topEvents(
  events: readonly PlacedEvent[],
  { isMachine }: { isMachine: boolean },
): TopEvent[] {
  const killTimes = events
    .filter(({ event }) => event.kind === 'oom_kill')
    .flatMap(({ event }) => event.timeUnixMs ?? []);
  const isToldAlready = (event: RecordingEvent) =>
    event.kind === 'oom_counter' &&
    killTimes.some((timeUnixMs) => Math.abs(timeUnixMs - event.timeUnixMs) <= sameKillMs);
  return events
    .filter(({ event }) => !isToldAlready(event))
    .flatMap(({ event, inSession }) => {
      const isOurs =
        event.kind === 'oom_counter' ? event.counter === 'cgroup' || isMachine || null : inSession;
      const told = toldOf(event, isOurs);
      return told === null ? [] : { timeUnixMs: event.timeUnixMs, inSession: isOurs, ...told };
    })
    .slice(-mostEvents);
}

/**
 * Whether the end of a process is worth a line: not of strangers, nor of a crash handler that may be
 * theirs.
 */
export function isEndTold(
  { role }: Pick<ProcessExit, 'role'>,
  place: { inSession: boolean | null; isMachineShared: boolean },
): boolean {
  if (role === 'crashpad' && place.inSession === null) return false;
  return membershipRank(place, place) === 0;
}

function toldOf(
  event: RecordingEvent,
  inSession: boolean | null,
): Pick<TopEvent, 'isBad' | 'words'> | null {
  switch (event.kind) {
    case 'oom_kill': {
      if (event.beforeStart) return null;
      const words = `OOM kill of ${event.comm}, pid ${event.pid}, ${formatBytes(event.rssBytes)} resident, scope ${event.scope}${whoseWords(inSession)}`;
      return { isBad: inSession === true, words };
    }
    case 'process_exit': {
      if (event.role === 'other') return null;
      const { role, pid, signal, exitCode } = event;
      const isBad = signal !== null || (exitCode ?? 0) !== 0;
      return { isBad, words: `${role} ${pid} ended${endWords(signal, exitCode)}` };
    }
    case 'gap': {
      const missingMs = Math.max(event.wallMs, event.monotonicMs, 0);
      const words = `gap (${event.gap}): nothing is known of ${formatDuration(missingMs)}`;
      return { isBad: false, words };
    }
    case 'limit_change': {
      const words = `limit was ${formatBytes(event.fromBytes)}, is ${formatBytes(event.toBytes)}`;
      return { isBad: false, words };
    }
    case 'oom_counter': {
      const words = `OOM kills by the kernel's counter (${event.counter}): ${event.count}`;
      return { isBad: inSession === true, words };
    }
    case 'target_crash': {
      const words = `${event.targetType} ${event.status}, pid ${event.pid ?? 'unknown'}`;
      return { isBad: true, words };
    }
    case 'guest_process': {
      if (event.change !== 'ended' || (event.exitCode ?? 0) === 0) return null;
      return { isBad: true, words: agentOsEventWords(event) };
    }
    case 'limit_warning':
      return { isBad: true, words: agentOsEventWords(event) };
    case 'vm':
      return { isBad: event.state === 'lost', words: agentOsEventWords(event) };
    case 'note':
      return shownNotes.has(event.code) ? { isBad: false, words: event.message } : null;
    default:
      return null;
  }
}

function whoseWords(inSession: boolean | null): string {
  if (inSession === null) return ', not known whose';
  return inSession ? '' : ', outside of this session';
}

function endWords(signal: string | null, exitCode: number | null): string {
  if (signal !== null) return ` by ${signal}`;
  return exitCode === null ? '' : ` with code ${exitCode}`;
}
