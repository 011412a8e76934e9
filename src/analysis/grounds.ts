import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Note, RecordingEvent } from '../model/event.ts';
import { formatBytes } from '../model/format-bytes.ts';
import type { Recording } from '../model/recording.ts';
import type { CgroupMemory } from '../model/sample.ts';
import type { TimeRange } from '../model/time-range.ts';
import { type AgentOsReport, agentOsReport } from './agentos.ts';
import type { BrowserCounts } from './browser.ts';
import type { Coverage } from './coverage.ts';
import { type DeathReport, deathReports } from './deaths.ts';
import type { followForVerdict } from './follow-ticks.ts';
import { type KernelLog, kernelLogOf } from './kernel-log.ts';
import { commandEndOf, sidecarEndOf } from './membership.ts';
import { type Headroom, headroomOf } from './memory.ts';
import { type OomCounts, type OomKillReport, oomCounts, oomKillReports } from './oom-kills.ts';
import type { PartReport } from './part.ts';
import type { PressureReport } from './pressure.ts';
import type { ProcessHistory } from './process-histories.ts';
import { type ProcessReport, processReports } from './processes.ts';
import { type SessionSection, sessionSection } from './session-section.ts';
import type { StallReport } from './stall.ts';
import { oomDaemonsOf } from './userspace-oom.ts';

/** What a verdict stands on: of all that a recording tells the part that says what happened. */
export interface Grounds extends KernelLog {
  session: SessionSection;
  /** Null where they are those of the whole recording. */
  part: PartReport | null;
  coverage: Pick<Coverage, 'samples' | 'lastUnixMs'>;
  memory: Headroom;
  pressure: PressureReport;
  /** Stretches in which the session stood at its limit and did nothing else. */
  stalls: StallReport[];
  browser: Pick<BrowserCounts, 'processesMax'>;
  /** Null where no VM of agentOS was recorded. */
  agentOs: AgentOsReport | null;
  oomKills: OomKillReport[];
  oomKillsBeforeStart: OomKillReport[];
  oomCounts: OomCounts;
  deaths: DeathReport[];
  notes: NoteReport[];
}

export type NoteReport = Pick<Note, 'timeUnixMs' | 'message'> & {
  code: Note['code'] | 'limit_change';
};

/** What was read of a recording row by row. */
export interface ReadRows {
  /** Of the range. */
  events: readonly RecordingEvent[];
  followed: ReturnType<typeof followForVerdict>;
  histories: ReadonlyMap<number, ProcessHistory>;
  part: PartReport | null;
  /** False where nobody asks how processes grew. */
  withGrowth: boolean;
}

/** The grounds, and the processes that were looked at to find them. */
export interface GatheredGrounds {
  grounds: Grounds;
  processes: ProcessReport[];
}

export function gatherGrounds(
  recording: Recording,
  range: TimeRange,
  { events, followed, histories, part, withGrowth }: ReadRows,
): GatheredGrounds {
  const { intervalMs } = recording.facts;
  const session = sessionSection(recording);
  const { gaps } = followed.coverage;
  const [grownUntilUnixMs] = followed.stalls.map(({ fromUnixMs }) => fromUnixMs);
  const command = commandEndOf(recording.events());
  const sidecar = sidecarEndOf(recording.events());
  const processes = processReports(recording, range, {
    gaps,
    grownUntilUnixMs,
    histories,
    ends: [command, sidecar],
    withGrowth,
  });
  const lastTick = recording.lastTick();
  const oom = oomKillReports(events, {
    processes,
    intervalMs,
    endUnixMs: followed.coverage.lastUnixMs,
    cgroup: lastTick?.cgroup ?? null,
    slowReadings: followed.slowReadings,
    command,
    sidecar,
  });
  const counts = oomCounts(events, oom, {
    machine: typeof lastTick?.activity.oomKillCount === 'number',
    cgroup: isOwn(lastTick?.cgroup ?? null) && typeof lastTick?.cgroup?.oomKillCount === 'number',
  });
  const kernelLog = kernelLogOf(recording);
  const deaths = deathReports({
    session,
    intervalMs,
    processes,
    kills: oom.kills,
    counts,
    counterJumps: events.filter((event) => event.kind === 'oom_counter'),
    command,
    sidecar,
    daemons: oomDaemonsOf(recording, events, processes),
    stalls: followed.stalls,
    notes: events.filter((event) => event.kind === 'note'),
    targetCrashes: events.filter((event) => event.kind === 'target_crash'),
    ...kernelLog,
  });
  const grounds: Grounds = {
    session,
    part,
    coverage: followed.coverage,
    memory: headroomOf(recording, followed.memory),
    pressure: followed.pressure,
    stalls: followed.stalls,
    browser: followed.browser,
    agentOs: agentOsReport(recording, range),
    oomKills: oom.kills,
    oomKillsBeforeStart: oom.beforeStart,
    oomCounts: counts,
    ...kernelLog,
    deaths,
    notes: noteReports(events),
  };
  return { grounds, processes };
}

/** A file without one sample. */
export interface EmptyFile {
  name: string;
  /** What was not closed has a log beside it, which is a part of it. */
  hasLog: boolean;
}

/** Null where there is a sample. */
export function emptyFileOf(recording: Recording): EmptyFile | null {
  if (recording.firstTick() !== null) return null;
  const { path: file } = recording;
  return { name: path.basename(file), hasLog: existsSync(`${file}-wal`) };
}

// The root of a machine is nobody's own; the root that a container sees of itself has a limit.
function isOwn(cgroup: CgroupMemory | null): boolean {
  return cgroup !== null && (cgroup.path !== '/' || cgroup.limitBytes !== null);
}

const toldElsewhere: readonly Note['code'][] = ['self_protection', 'root_process'];

function noteReports(events: readonly RecordingEvent[]): NoteReport[] {
  return events.flatMap((event): NoteReport[] => {
    if (event.kind === 'note') {
      if (toldElsewhere.includes(event.code)) return [];
      return [{ timeUnixMs: event.timeUnixMs, code: event.code, message: event.message }];
    }
    if (event.kind !== 'limit_change') return [];
    const message = `the limit went from ${formatBytes(event.fromBytes)} to ${formatBytes(event.toBytes)}`;
    return [{ timeUnixMs: event.timeUnixMs, code: 'limit_change', message }];
  });
}
