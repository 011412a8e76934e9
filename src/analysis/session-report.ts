import path from 'node:path';
import type { Note, RecordingEvent } from '../model/event.ts';
import { formatBytes } from '../model/format-bytes.ts';
import type { Recording } from '../model/recording.ts';
import type { CgroupMemory } from '../model/sample.ts';
import type { TimeRange } from '../model/time-range.ts';
import { openRecording } from '../store/reader.ts';
import { agentOsReport } from './agentos.ts';
import { browserReport, roleReports } from './browser.ts';
import { deathReports } from './deaths.ts';
import type { Findings, NoteReport } from './findings.ts';
import { followTicks } from './follow-ticks.ts';
import { forkReport } from './forks.ts';
import { growthReport } from './growth-report.ts';
import { kernelLogOf } from './kernel-log.ts';
import { commandEndOf, sidecarEndOf } from './membership.ts';
import { memoryReport } from './memory.ts';
import { oomCounts, oomKillReports } from './oom-kills.ts';
import { pagesSection } from './pages.ts';
import { populationReport } from './population.ts';
import { processHistories } from './process-histories.ts';
import { processReports } from './processes.ts';
import { sessionSection } from './session-section.ts';
import { timelineOf } from './timeline.ts';
import { usableHeadroom } from './usable-headroom.ts';
import { oomDaemonsOf } from './userspace-oom.ts';
import { type Verdict, verdictOf } from './verdict.ts';
import { leadTimes } from './warnings.ts';

/**
 * Everything that one recording tells; as JSON it is the output of `headroom report --format json`.
 * Fields are only added. Null is unknown, and never zero.
 */
export interface SessionReport extends Findings {
  verdict: Verdict;
}

/**
 * Analyses a file, or a recording that is open, or the part of it within `range`. Reads every tick
 * of it once. A file that is being recorded is analysed as far as it is. Throws a HeadroomError where
 * the file cannot be read (FILE_NOT_FOUND, FILE_NOT_A_RECORDING, FILE_CORRUPT …).
 */
export function analyse(source: string | Recording, range: TimeRange = {}): SessionReport {
  if (typeof source !== 'string') return reportOf(source, range);
  using recording = openRecording(source);
  return reportOf(recording, range);
}

function reportOf(recording: Recording, range: TimeRange): SessionReport {
  const findings = findingsOf(recording, range);
  const isEmpty = recording.firstTick() === null;
  const emptyFile = isEmpty ? path.basename(recording.path) : null;
  return { ...findings, verdict: verdictOf(findings, emptyFile) };
}

function findingsOf(recording: Recording, range: TimeRange): Findings {
  const { facts } = recording;
  const events = recording.events(range);
  const followed = followTicks(recording, range, events);
  const session = sessionSection(recording);
  const histories = processHistories(recording, range);
  const { gaps } = followed.coverage;
  const processes = processReports(recording, range, { gaps, histories });
  const records = recording.processes();
  const roles = roleReports(recording, range, processes);
  const lastTick = recording.lastTick();
  const { intervalMs } = facts;
  const command = commandEndOf(recording.events());
  const sidecar = sidecarEndOf(recording.events());
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
  const findings: Omit<Findings, 'timeline'> = {
    schemaVersion: 1,
    session,
    coverage: {
      ...followed.coverage,
      // Beside a VM only two of the machine's processes are recorded.
      forks:
        facts.source === 'agentos'
          ? null
          : forkReport(followed.forks, processes, followed.coverage.firstUnixMs),
    },
    memory: memoryReport(recording, range, followed.memory),
    usableHeadroom: usableHeadroom(
      followed.lowest,
      records.map((record) => ({
        browserPid: record.browserPid,
        lastUnixMs: record.lastUnixMs,
        mappedFile: histories.get(record.process)?.mappedFile ?? [],
      })),
    ),
    pressure: followed.pressure,
    reclaim: followed.reclaim,
    stalls: followed.stalls,
    warnings: followed.warnings,
    leads: leadTimes(followed.warnings, oom.kills, followed.stalls),
    growth: growthReport({
      session: followed.growth,
      records,
      histories,
      roles: roles.map(({ role }) => role),
      gaps,
    }),
    curve: followed.curve,
    browser: browserReport(recording, range, followed.browser),
    roles,
    processes,
    population: populationReport(processes),
    agentOs: agentOsReport(recording, range),
    ...pagesSection(recording, range),
    oomKills: oom.kills,
    oomKillsBeforeStart: oom.beforeStart,
    oomCounts: counts,
    ...kernelLog,
    deaths: deathReports({
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
    }),
    recorder: followed.recorder,
    notes: noteReports(events),
  };
  return { ...findings, timeline: timelineOf(findings) };
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
