import path from 'node:path';
import type { Note, RecordingEvent } from '../model/event.ts';
import { formatBytes } from '../model/format-bytes.ts';
import type { Recording } from '../model/recording.ts';
import type { CgroupMemory } from '../model/sample.ts';
import type { TimeRange } from '../model/time-range.ts';
import { browserReport, roleReports, trackBrowser } from './browser.ts';
import { trackCoverage } from './coverage.ts';
import { deathReports } from './deaths.ts';
import type { Findings, NoteReport } from './findings.ts';
import { forkReport, trackForks } from './forks.ts';
import { kernelLogOf } from './kernel-log.ts';
import { lowestAvailable } from './lowest-available.ts';
import { commandEndOf } from './membership.ts';
import { memoryReport, trackMemory } from './memory.ts';
import { oomCounts, oomKillReports } from './oom-kills.ts';
import { trackPressure } from './pressure.ts';
import { processReports } from './processes.ts';
import { trackRecorder } from './recorder-cost.ts';
import { sessionSection } from './session-section.ts';
import { trackSlowReadings } from './slow-readings.ts';
import { trackStalls } from './stall.ts';
import { oomDaemonsOf } from './userspace-oom.ts';
import { type Verdict, verdictOf } from './verdict.ts';

/**
 * Everything that one recording tells; as JSON it is the output of `headroom report --format json`.
 * Fields are only added. Null is unknown, and never zero.
 */
export interface SessionReport extends Findings {
  verdict: Verdict;
}

/** Analyses a recording, or the part of it within `range`. Reads every tick of it once. */
export function analyse(recording: Recording, range: TimeRange = {}): SessionReport {
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
  const processes = processReports(recording, range, followed.coverage.gaps);
  const lastTick = recording.lastTick();
  const { intervalMs } = facts;
  const command = commandEndOf(recording.events());
  const oom = oomKillReports(events, {
    processes,
    intervalMs,
    endUnixMs: followed.coverage.lastUnixMs,
    cgroup: lastTick?.cgroup ?? null,
    slowReadings: followed.slowReadings,
    command,
  });
  const counts = oomCounts(events, oom, {
    machine: typeof lastTick?.activity.oomKillCount === 'number',
    cgroup: isOwn(lastTick?.cgroup ?? null) && typeof lastTick?.cgroup?.oomKillCount === 'number',
  });
  const kernelLog = kernelLogOf(recording);
  return {
    schemaVersion: 1,
    session,
    coverage: {
      ...followed.coverage,
      forks: forkReport(followed.forks, processes, followed.coverage.firstUnixMs),
    },
    memory: memoryReport(recording, range, followed.memory),
    pressure: followed.pressure,
    stalls: followed.stalls,
    browser: browserReport(recording, range, followed.browser),
    roles: roleReports(recording, range, processes),
    processes,
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
      daemons: oomDaemonsOf(recording, events, processes),
      stalls: followed.stalls,
      notes: events.filter((event) => event.kind === 'note'),
      ...kernelLog,
    }),
    recorder: followed.recorder,
    notes: noteReports(events),
  };
}

// The root of a machine is nobody's own; the root that a container sees of itself has a limit.
function isOwn(cgroup: CgroupMemory | null): boolean {
  return cgroup !== null && (cgroup.path !== '/' || cgroup.limitBytes !== null);
}

function followTicks(recording: Recording, range: TimeRange, events: readonly RecordingEvent[]) {
  const coverage = trackCoverage({
    intervalMs: recording.facts.intervalMs,
    events,
    resolutions: recording.resolutions(range),
  });
  const forks = trackForks();
  const memory = trackMemory(lowestAvailable(recording, range));
  const pressure = trackPressure();
  const stalls = trackStalls();
  const browser = trackBrowser();
  const slowReadings = trackSlowReadings();
  const recorder = trackRecorder(protectionOf(recording));
  const trackers = [coverage, forks, memory, pressure, stalls, browser, slowReadings, recorder];
  for (const tick of recording.ticks(range)) {
    for (const tracker of trackers) tracker.add(tick);
  }
  return {
    coverage: coverage.result(),
    forks: forks.result(),
    memory: memory.result(),
    pressure: pressure.result(),
    stalls: stalls.result(),
    browser: browser.result(),
    slowReadings: slowReadings.result(),
    recorder: recorder.result(),
  };
}

// Noted with the first sample of a run, so that a range may not have it.
function protectionOf(recording: Recording): string | null {
  const notes = recording.events().filter((event) => event.kind === 'note');
  return notes.findLast(({ code }) => code === 'self_protection')?.message ?? null;
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
