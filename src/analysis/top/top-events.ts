import type { Note, RecordingEvent } from '../../model/event.ts';
import { formatBytes } from '../../model/format-bytes.ts';
import { agentOsEventWords } from '../agentos-wording.ts';
import { formatDuration } from '../format.ts';
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

/** What is worth a line of the last events, in words; the last 50. */
export function topEvents(events: readonly RecordingEvent[]): TopEvent[] {
  const killTimes = events
    .filter((event) => event.kind === 'oom_kill')
    .flatMap(({ timeUnixMs }) => timeUnixMs ?? []);
  const isToldAlready = (event: RecordingEvent) =>
    event.kind === 'oom_counter' &&
    killTimes.some((timeUnixMs) => Math.abs(timeUnixMs - event.timeUnixMs) <= sameKillMs);
  return events
    .filter((event) => !isToldAlready(event))
    .flatMap((event) => topEvent(event) ?? [])
    .slice(-mostEvents);
}

function topEvent(event: RecordingEvent): TopEvent | null {
  const { timeUnixMs } = event;
  switch (event.kind) {
    case 'oom_kill': {
      if (event.beforeStart) return null;
      const words = `OOM kill of ${event.comm}, pid ${event.pid}, ${formatBytes(event.rssBytes)} resident, scope ${event.scope}`;
      return { timeUnixMs, isBad: true, words };
    }
    case 'process_exit': {
      if (event.role === 'other') return null;
      const { role, pid, signal, exitCode } = event;
      const isBad = signal !== null || (exitCode ?? 0) !== 0;
      return { timeUnixMs, isBad, words: `${role} ${pid} ended${endWords(signal, exitCode)}` };
    }
    case 'gap': {
      const missingMs = Math.max(event.wallMs, event.monotonicMs, 0);
      const words = `gap (${event.gap}): nothing is known of ${formatDuration(missingMs)}`;
      return { timeUnixMs, isBad: false, words };
    }
    case 'limit_change': {
      const words = `limit was ${formatBytes(event.fromBytes)}, is ${formatBytes(event.toBytes)}`;
      return { timeUnixMs, isBad: false, words };
    }
    case 'oom_counter': {
      const words = `OOM kills by the kernel's counter (${event.counter}): ${event.count}`;
      return { timeUnixMs, isBad: true, words };
    }
    case 'target_crash': {
      const words = `${event.targetType} ${event.status}, pid ${event.pid ?? 'unknown'}`;
      return { timeUnixMs, isBad: true, words };
    }
    case 'guest_process': {
      if (event.change !== 'ended' || (event.exitCode ?? 0) === 0) return null;
      return { timeUnixMs, isBad: true, words: agentOsEventWords(event) };
    }
    case 'limit_warning':
      return { timeUnixMs, isBad: true, words: agentOsEventWords(event) };
    case 'vm':
      return { timeUnixMs, isBad: event.state === 'lost', words: agentOsEventWords(event) };
    case 'note':
      return shownNotes.has(event.code) ? { timeUnixMs, isBad: false, words: event.message } : null;
    default:
      return null;
  }
}

function endWords(signal: string | null, exitCode: number | null): string {
  if (signal !== null) return ` by ${signal}`;
  return exitCode === null ? '' : ` with code ${exitCode}`;
}
