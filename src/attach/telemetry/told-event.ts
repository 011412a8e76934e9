import { printableText } from '../../collector/procfs/printable-text.ts';
import type { Note, OomKill, OomScope } from '../../model/event.ts';
import { serviceCrashNote } from '../../model/service-crash.ts';
import type { PlatformEvent } from '../../session/platform-events.ts';

/** What the telemetry of a session tells, as the events of a recording. */
export type ToldEvent = OomKill | Note;

const scopes = new Map<unknown, OomScope>([
  ['none', 'machine'],
  ['memcg', 'cgroup'],
  ['cpuset', 'cpuset'],
  ['memory_policy', 'mempolicy'],
]);

// A name of the kernel has 15 bytes; that of a service is a stranger's.
const longestNameBytes = 64;

/**
 * The event of a recording that an event of telemetry is: `system_oom_kill`, `service_crashed`. Null for
 * any other, newer ones included, and for one that does not say who it was.
 */
export function toldEvent({ type, timeUnixMs, data }: PlatformEvent): ToldEvent | null {
  if (type === 'system_oom_kill') return oomKill(data, timeUnixMs);
  if (type !== 'service_crashed') return null;
  const service = nameOf(data['service_name']);
  if (service === null) return null;
  const phase = nameOf(data['phase']) ?? 'unknown';
  return serviceCrashNote({ service, phase, pid: countOf(data['pid']) }, Math.round(timeUnixMs));
}

/** That more was told than is taken. */
export function lostNote(timeUnixMs: number): Note {
  const message =
    "the session's telemetry told more than is taken: what it told after this is not recorded";
  return { kind: 'note', timeUnixMs, code: 'telemetry_lost', message };
}

function oomKill(data: PlatformEvent['data'], timeUnixMs: number): OomKill | null {
  const pid = countOf(data['pid']);
  const comm = nameOf(data['process_name']);
  if (pid === null || comm === null) return null;
  const largest = largestBeside(pid, data['top_tasks']);
  return {
    kind: 'oom_kill',
    timeUnixMs,
    kernelMs: null,
    kmsgSequence: null,
    pid,
    comm,
    uid: null,
    rssBytes: bytesOf(data['rss_kb']),
    anonBytes: null,
    fileBytes: null,
    shmemBytes: null,
    totalVmBytes: null,
    pageTablesBytes: null,
    oomScoreAdj: null,
    scope: scopes.get(data['constraint']) ?? 'unknown',
    constraint: null,
    cgroup: null,
    taskCgroup: null,
    triggerPid: countOf(data['trigger_pid']),
    triggerComm: nameOf(data['trigger_process_name']),
    cgroupUsageBytes: null,
    cgroupLimitBytes: null,
    tasksListed: null,
    largestOtherPid: countOf(largest['pid']),
    largestOtherComm: nameOf(largest['name']),
    largestOtherRssBytes: bytesOf(largest['rss_kb']),
    oomGroup: null,
    context: 'telemetry',
    beforeStart: false,
  };
}

/** The five largest are told, the largest first. */
function largestBeside(pid: number, tasks: unknown): Readonly<Record<string, unknown>> {
  const list: unknown[] = Array.isArray(tasks) ? tasks : [];
  for (const task of list) {
    if (typeof task !== 'object' || task === null) continue;
    const fields: Readonly<Record<string, unknown>> = { ...task };
    if (fields['pid'] !== pid) return fields;
  }
  return {};
}

function nameOf(value: unknown): string | null {
  if (typeof value !== 'string' || value === '') return null;
  const bytes = Buffer.from(value).subarray(0, longestNameBytes);
  return printableText(bytes, 0, bytes.length);
}

function countOf(value: unknown): number | null {
  return Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : null;
}

function bytesOf(kib: unknown): number | null {
  const count = countOf(kib);
  return count === null || !Number.isSafeInteger(count * 1024) ? null : count * 1024;
}
