import type { Gap, LimitChange, Note, OomKill, ProcessExit } from '../../model/event.ts';
import type { EventProcess, StoredEvent } from '../../model/recording.ts';
import type { SessionFacts } from '../../model/session.ts';
import { type EventAttribute, type EventName, recordIdAttribute } from '../event-catalog.ts';
import { roleAttribute } from '../metric-definition.ts';
import { identityOf } from '../session-identity.ts';
import { tellGuest, tellVm, tellWarning } from './agentos-record.ts';
import type { Item } from './batch.ts';

type Severity = 'INFO' | 'WARN' | 'ERROR';

/** An OTLP log record that is an event (data model, "LogRecord"). */
export interface EventRecord extends Item {
  name: EventName;
  /** When it was written down; also the time of one whose own is not known. */
  observedUnixMs: number;
  severity: Severity;
  body: string;
  attributes: Readonly<Record<string, string | number>>;
}

/** What one event is told as, without what every record has. */
export interface Told {
  name: EventName;
  severity: Severity;
  body: string;
  attributes: Partial<Record<EventAttribute, string | number | null>>;
}

const mebibyte = 2 ** 20;
const crashSignals = ['SIGSEGV', 'SIGBUS', 'SIGILL', 'SIGABRT', 'SIGFPE', 'SIGSYS', 'SIGTRAP'];

/** The first record of every session. */
export function startRecord(facts: SessionFacts): EventRecord {
  const { startedUnixMs, machine } = facts;
  const told: Told = {
    name: 'session.start',
    severity: 'INFO',
    body: `recording began, the limit is ${machine.limitBytes === null ? 'unknown' : mib(machine.limitBytes)}`,
    attributes: {
      'headroom.memory.limit': machine.limitBytes,
      'headroom.browser.version': machine.browserVersion,
    },
  };
  const times = { timeUnixMs: startedUnixMs, observedUnixMs: startedUnixMs };
  return recordOf(told, { facts, id: 'start', ...times });
}

/** The last record of a session that has ended. `endUnixMs`: its last tick, if nothing is later. */
export function endRecord(facts: SessionFacts, endUnixMs: number): EventRecord {
  const timeUnixMs = facts.endedUnixMs ?? endUnixMs;
  const endReason = facts.endReason ?? 'lost';
  const isCutOff = endReason === 'lost' || endReason === 'deleted';
  const told: Told = {
    name: 'session.end',
    severity: isCutOff ? 'WARN' : 'INFO',
    body: `recording ended: ${endReason}`,
    attributes: {
      'headroom.session.end_reason': endReason,
      'headroom.session.duration': Math.max(0, timeUnixMs - facts.startedUnixMs) / 1000,
    },
  };
  // A recording can go on and end once more.
  const id = `end-${timeUnixMs}`;
  return recordOf(told, { facts, id, timeUnixMs, observedUnixMs: timeUnixMs });
}

/** Null for an event that is no log record: routine ends, others' kills before the recording. */
export function eventRecord(stored: StoredEvent, facts: SessionFacts): EventRecord | null {
  const told = tell(stored);
  if (told === null) return null;
  const observedUnixMs = stored.tickUnixMs;
  const timeUnixMs = stored.event.timeUnixMs ?? observedUnixMs;
  return recordOf(told, { facts, id: String(stored.row), timeUnixMs, observedUnixMs });
}

function recordOf(
  { attributes, ...told }: Told,
  at: { facts: SessionFacts; id: string; timeUnixMs: number; observedUnixMs: number },
): EventRecord {
  const { facts, id, timeUnixMs, observedUnixMs } = at;
  const known = Object.entries(attributes).filter(
    (pair): pair is [string, string | number] => pair[1] !== null,
  );
  return {
    ...told,
    timeUnixMs,
    observedUnixMs,
    attributes: {
      ...identityOf(facts),
      [recordIdAttribute]: `${facts.id}-${id}`,
      ...Object.fromEntries(known),
    },
  };
}

function tell({ event, process }: StoredEvent): Told | null {
  switch (event.kind) {
    case 'oom_kill':
      return event.beforeStart ? null : tellKill(event, process);
    case 'process_exit':
      return tellExit(event, process);
    case 'gap':
      return tellGap(event);
    case 'limit_change':
      return tellLimit(event);
    case 'note':
      return tellNote(event);
    case 'guest_process':
      return tellGuest(event);
    case 'limit_warning':
      return tellWarning(event);
    case 'vm':
      return tellVm(event);
    // The metric headroom.oom.kills is that counter.
    case 'oom_counter':
    // Addresses of pages stay in the file; the end of a process is told as that.
    case 'page':
    case 'target_crash':
      return null;
  }
}

function tellKill(kill: OomKill, process: EventProcess | null): Told {
  const isOfBrowser = process !== null && process.browserPid !== null;
  const who = isOfBrowser ? `${process.role} ${kill.pid}` : `pid ${kill.pid}`;
  const size = kill.rssBytes === null ? '' : ` of ${mib(kill.rssBytes)}`;
  const where = kill.cgroup === null ? '' : `, limit of ${kill.cgroup}`;
  const other = kill.largestOtherComm;
  return {
    name: 'headroom.oom.kill',
    severity: isOfBrowser ? 'ERROR' : 'WARN',
    body: `the kernel killed ${who} (${kill.comm})${size} for want of memory${where}`,
    attributes: {
      ...processAttributes(process, kill.pid, kill.comm),
      'headroom.oom.victim': isOfBrowser ? 'browser' : process === null ? 'unknown' : 'other',
      'headroom.oom.scope': kill.scope,
      'headroom.oom.victim.memory': kill.rssBytes,
      'headroom.oom.cgroup': kill.cgroup,
      'headroom.oom.cgroup.limit': kill.cgroupLimitBytes,
      'headroom.oom.trigger': kill.triggerComm,
      'headroom.oom.largest_other': other,
      'headroom.oom.largest_other.memory': kill.largestOtherRssBytes,
    },
  };
}

function tellExit(exit: ProcessExit, process: EventProcess | null): Told | null {
  const isCommand = exit.source === 'parent';
  const isMain = process !== null && process.browserPid === process.pid;
  if (!isCommand && (process === null || process.browserPid === null)) return null;
  const isRoutine = exit.signal === null && (exit.exitCode === null || exit.exitCode === 0);
  if (isRoutine && !isCommand && !isMain) return null;
  const who = `${isCommand ? 'the recorded command' : exit.role}, pid ${exit.pid},`;
  const attributes = processAttributes(process, exit.pid, null);
  if (exit.signal !== null && crashSignals.includes(exit.signal)) {
    return {
      name: 'headroom.process.crash',
      severity: 'ERROR',
      body: `${who} crashed by ${exit.signal}`,
      attributes: { ...attributes, 'headroom.process.signal': exit.signal },
    };
  }
  return {
    name: 'headroom.process.exit',
    severity: exit.signal === 'SIGKILL' ? 'WARN' : 'INFO',
    body: `${who} ${howItEnded(exit)}`,
    attributes: {
      ...attributes,
      'headroom.process.signal': exit.signal,
      'process.exit.code': exit.exitCode,
    },
  };
}

function howItEnded({ signal, exitCode }: ProcessExit): string {
  if (signal !== null) return `was ended by ${signal}`;
  return exitCode === null ? 'ended, it is not known how' : `ended with ${exitCode}`;
}

function tellGap(gap: Gap): Told {
  const seconds = Math.max(0, gap.toUnixMs - gap.fromUnixMs) / 1000;
  return {
    name: 'headroom.recording.gap',
    severity: 'WARN',
    body: `nothing was recorded for ${seconds} s: ${gap.gap}`,
    attributes: { 'headroom.gap.kind': gap.gap, 'headroom.gap.duration': seconds },
  };
}

function tellLimit({ fromBytes, toBytes }: LimitChange): Told {
  return {
    name: 'headroom.memory.limit_change',
    severity: 'INFO',
    body: `the limit is ${mib(toBytes)}, it was ${mib(fromBytes)}`,
    attributes: { 'headroom.memory.limit': toBytes, 'headroom.memory.limit.before': fromBytes },
  };
}

function tellNote({ code, message }: Note): Told {
  const attributes = { 'headroom.note.code': code };
  const severity = code === 'service_crashed' || code === 'telemetry_lost' ? 'WARN' : 'INFO';
  return { name: 'headroom.recording.note', severity, body: message, attributes };
}

function processAttributes(
  process: EventProcess | null,
  pid: number,
  comm: string | null,
): Told['attributes'] {
  return {
    'process.pid': process?.pid ?? pid,
    'process.executable.name': process?.executable ?? process?.comm ?? comm,
    [roleAttribute]: process?.role ?? null,
  };
}

function mib(bytes: number): string {
  return `${Math.round(bytes / mebibyte)} MiB`;
}
