import type { Recording } from '../model/recording.ts';
import type { LimitSource } from '../model/sample.ts';
import type { EndReason } from '../model/session.ts';
import { browserVersionOf } from './browser-version.ts';
import { commandEndOf } from './membership.ts';

/** What was recorded, where, and how it ended. */
export interface SessionSection {
  id: string;
  source: string;
  labels: Readonly<Record<string, string>>;
  startedUnixMs: number;
  endedUnixMs: number | null;
  /** Null while recording; `lost`: the recorder ended without a word. */
  endReason: EndReason | null;
  isLive: boolean;
  /** How the recorded command ended; null: there was none, or its end is not recorded. */
  command: CommandEnd | null;
  /** The process that was asked for with `--pid`; null: none was. */
  root: RootProcess | null;
  /** When the recorder was asked to end and passed the signal on to the command; null: it was not. */
  stopAskedUnixMs: number | null;
  collectorVersion: string;
  machine: {
    bootId: string | null;
    kernel: string;
    cpuCount: number | null;
    memoryTotalBytes: number | null;
    limitBytes: number | null;
    limitSource: LimitSource;
    /** As the browser told it, else from its processes; null when unknown or when there are two. */
    browserVersion: string | null;
    /** `portable`: no PSS, no pressure and no OOM records, because there is no /proc. */
    sampleSource: 'proc' | 'portable';
  };
}

/** Its exit code, or the signal that ended it. */
export interface CommandEnd {
  exitCode: number | null;
  signal: string | null;
  timeUnixMs: number;
}

export interface RootProcess {
  pid: number;
  /** Null when no sample has it. */
  comm: string | null;
  /** Null while it lives. */
  endedUnixMs: number | null;
  exitCode: number | null;
  signal: string | null;
}

/** `exit code 1`, `SIGKILL`; null: not known. */
export function endOfCommand({ exitCode, signal }: Omit<CommandEnd, 'timeUnixMs'>): string | null {
  return exitCode === null ? signal : `exit code ${exitCode}`;
}

export function sessionSection(recording: Recording): SessionSection {
  const { facts, isLive } = recording;
  const { machine } = facts;
  const events = recording.events();
  const end = commandEndOf(events);
  const stop = events.find((event) => event.kind === 'note' && event.code === 'stop_asked');
  return {
    id: facts.id,
    source: facts.source,
    labels: facts.labels,
    startedUnixMs: facts.startedUnixMs,
    endedUnixMs: facts.endedUnixMs,
    endReason: facts.endReason ?? (isLive ? null : 'lost'),
    isLive,
    command:
      end === null
        ? null
        : { exitCode: end.exitCode, signal: end.signal, timeUnixMs: end.timeUnixMs },
    root: rootOf(recording),
    stopAskedUnixMs: stop?.timeUnixMs ?? null,
    collectorVersion: facts.collectorVersion,
    machine: {
      bootId: machine.bootId,
      kernel: machine.kernel,
      cpuCount: machine.cpuCount,
      memoryTotalBytes: machine.memoryTotalBytes,
      limitBytes: machine.limitBytes,
      limitSource: machine.limitSource,
      browserVersion: machine.browserVersion ?? browserVersionOf(recording.processes()),
      sampleSource: machine.sampleSource,
    },
  };
}

function rootOf(recording: Recording): RootProcess | null {
  const notes = recording.events().filter((event) => event.kind === 'note');
  const note = notes.find(({ code }) => code === 'root_process');
  const pid = Number(/\d+/.exec(note?.message ?? '')?.[0]);
  if (Number.isNaN(pid)) return null;
  // Another may have got its pid later.
  const record = recording.processes().find((process) => process.pid === pid);
  return {
    pid,
    comm: record?.comm ?? null,
    endedUnixMs: record?.endedUnixMs ?? null,
    exitCode: record?.exitCode ?? null,
    signal: record?.signal ?? null,
  };
}
