import type {
  AgentOsReading,
  GuestEndSource,
  GuestProcess,
  GuestState,
  LimitWarning,
  VmChange,
} from '../model/agentos.ts';
import type { RecordingEvent } from '../model/event.ts';
import type { Recording } from '../model/recording.ts';
import type { TimeRange } from '../model/time-range.ts';

/** A VM of agentOS, as far as it was recorded. */
export interface AgentOsReport {
  vmId: string;
  sidecar: SidecarReport;
  /** How it ended; null: it did not while it was recorded. */
  end: VmEndReport | null;
  /** By first sight. */
  guests: GuestReport[];
  /** What the VM counts, with its most and its limit. */
  counters: CounterReport[];
  limitWarnings: LimitWarningReport[];
}

export interface SidecarReport {
  pid: number | null;
  /** The most VMs that it had at a time. Above 1 its figures are those of all of them. */
  vmsMax: number | null;
  rssMaxBytes: number | null;
  /** VmHWM: the highest RSS of its life, by the kernel. */
  peakRssBytes: number | null;
  /** Spent while it was recorded. */
  cpuSeconds: number | null;
  threadsMax: number | null;
  v8SessionsMax: number | null;
}

export interface VmEndReport
  extends Pick<VmChange, 'timeUnixMs' | 'exitCode' | 'signal' | 'message'> {
  how: 'disposed' | 'lost';
}

export interface GuestReport {
  processId: string;
  /** In the VM. */
  pid: number | null;
  /** Its latest; 0: none. */
  parentPid: number | null;
  /** How many ancestors its id names: it says who started it, also of orphans. */
  depth: number;
  command: string | null;
  state: GuestState;
  startedUnixMs: number | null;
  firstUnixMs: number;
  endedUnixMs: number | null;
  exitCode: number | null;
  endSource: GuestEndSource | null;
}

export interface CounterReport {
  name:
    | 'processes'
    | 'descriptors'
    | 'pipes'
    | 'terminals'
    | 'sockets'
    | 'connections'
    | 'fileBytes'
    | 'inodes';
  max: number;
  /** Null where it is not known whose it is, as on a shared sidecar. */
  limit: number | null;
}

export interface LimitWarningReport extends Omit<LimitWarning, 'kind'> {
  /**
   * The guest that most likely met it, known by its end with code 1 right after; null where nobody can
   * tell. Always a conclusion: the sidecar names no process, and on a shared one no VM.
   */
  likelyGuest: Pick<GuestReport, 'processId' | 'pid' | 'command'> | null;
}

const heapLimit = 'v8_heap_bytes';
// Measured: 0.02 to 1.1 s, and 5.5 s where two warnings came.
const heapEndMs = 6_000;

/** Null of a recording of no VM. */
export function agentOsReport(recording: Recording, range: TimeRange): AgentOsReport | null {
  if (recording.facts.source !== 'agentos') return null;
  const events = recording.events(range);
  const changes = recording.events().filter((event) => event.kind === 'vm');
  const vmId = changes[0]?.vmId;
  if (vmId === undefined) return null;
  const guests = guestReports(events);
  const ticks = [...recording.ticks(range)];
  const readings = ticks.map(({ agentOs }) => agentOs ?? null).filter((one) => one !== null);
  return {
    vmId,
    sidecar: { pid: changes[0]?.sidecarPid ?? null, ...sidecarFigures(readings) },
    end: endOf(events),
    guests,
    counters: counterReports(readings),
    limitWarnings: events
      .filter((event) => event.kind === 'limit_warning')
      .map(({ kind: _, ...warning }) => ({
        ...warning,
        likelyGuest: likelyGuest(warning, guests),
      })),
  };
}

/** The first warning that the heap of a guest of this very VM was used up; null: none was. */
export function heapWarningOf(report: AgentOsReport | null): LimitWarningReport | null {
  const met = report?.limitWarnings.find(
    ({ limit, fillRatio, vmCount }) =>
      limit === heapLimit && vmCount === 1 && (fillRatio ?? 0) >= 1,
  );
  return met ?? null;
}

/** The guests that events tell of, as they last were; by first sight. */
export function guestReports(events: readonly RecordingEvent[]): GuestReport[] {
  const guests: GuestReport[] = [];
  const latest = new Map<string, GuestReport>();
  for (const event of events) {
    if (event.kind !== 'guest_process') continue;
    const before = latest.get(event.processId);
    const isSame = before !== undefined && (before.pid === null || event.pid === before.pid);
    if (isSame) {
      Object.assign(before, guestOf(event, before.firstUnixMs));
      continue;
    }
    const guest = guestOf(event, event.timeUnixMs);
    latest.set(event.processId, guest);
    guests.push(guest);
  }
  return guests;
}

function guestOf(event: GuestProcess, firstUnixMs: number): GuestReport {
  const { processId, pid, parentPid, command, state, startedUnixMs, exitCode, endSource } = event;
  return {
    processId,
    pid,
    parentPid,
    depth: processId.split('/').length - 1,
    command,
    state,
    startedUnixMs,
    firstUnixMs,
    endedUnixMs: event.change === 'ended' ? event.timeUnixMs : null,
    exitCode,
    endSource,
  };
}

function endOf(events: readonly RecordingEvent[]): VmEndReport | null {
  for (const event of events) {
    if (event.kind !== 'vm' || (event.state !== 'disposed' && event.state !== 'lost')) continue;
    const { timeUnixMs, exitCode, signal, message, state } = event;
    return { how: state, timeUnixMs, exitCode, signal, message };
  }
  return null;
}

function likelyGuest(
  { limit, timeUnixMs, vmCount }: Omit<LimitWarning, 'kind'>,
  guests: readonly GuestReport[],
): LimitWarningReport['likelyGuest'] {
  if (limit !== heapLimit || vmCount !== 1) return null;
  const ended = guests.filter(
    ({ exitCode, endedUnixMs }) =>
      exitCode === 1 &&
      endedUnixMs !== null &&
      endedUnixMs >= timeUnixMs &&
      endedUnixMs <= timeUnixMs + heapEndMs,
  );
  const [only, another] = ended;
  if (only === undefined || another !== undefined) return null;
  const { processId, pid, command } = only;
  return { processId, pid, command };
}

function sidecarFigures(readings: readonly AgentOsReading[]): Omit<SidecarReport, 'pid'> {
  const cpu = readings.map(({ sidecarCpuMs }) => sidecarCpuMs).filter((value) => value !== null);
  const [first] = cpu;
  const last = cpu.at(-1);
  return {
    vmsMax: most(readings, 'sidecarVmCount'),
    rssMaxBytes: most(readings, 'sidecarRssBytes'),
    peakRssBytes: most(readings, 'sidecarPeakRssBytes'),
    cpuSeconds: first === undefined || last === undefined ? null : (last - first) / 1000,
    threadsMax: most(readings, 'sidecarThreadCount'),
    v8SessionsMax: most(readings, 'sidecarV8SessionCount'),
  };
}

const counters: readonly [
  CounterReport['name'],
  { value: keyof AgentOsReading; limit: keyof AgentOsReading },
][] = [
  ['processes', { value: 'processCount', limit: 'processLimit' }],
  ['descriptors', { value: 'openFdCount', limit: 'openFdLimit' }],
  ['pipes', { value: 'pipeCount', limit: 'pipeLimit' }],
  ['terminals', { value: 'ptyCount', limit: 'ptyLimit' }],
  ['sockets', { value: 'socketCount', limit: 'socketLimit' }],
  ['connections', { value: 'connectionCount', limit: 'connectionLimit' }],
  ['fileBytes', { value: 'filesystemBytes', limit: 'filesystemLimitBytes' }],
  ['inodes', { value: 'inodeCount', limit: 'inodeLimit' }],
];

function counterReports(readings: readonly AgentOsReading[]): CounterReport[] {
  return counters.flatMap(([name, { value, limit }]) => {
    const max = most(readings, value);
    return max === null ? [] : [{ name, max, limit: most(readings, limit) }];
  });
}

function most(readings: readonly AgentOsReading[], figure: keyof AgentOsReading): number | null {
  const known = readings.map((reading) => reading[figure]).filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((a, b) => Math.max(a, b));
}
