import type { Recording } from '../model/recording.ts';
import type { TimeRange } from '../model/time-range.ts';
import { openRecording } from '../store/reader.ts';
import { requireAnalysable } from './analyse-arguments.ts';
import { browserReport, roleReports } from './browser.ts';
import type { Findings } from './findings.ts';
import { bootTimes, followTicks } from './follow-ticks.ts';
import { forkReport } from './forks.ts';
import { emptyFileOf, gatherGrounds } from './grounds.ts';
import { growthReport } from './growth-report.ts';
import { placedProcesses } from './membership.ts';
import { memoryReport } from './memory.ts';
import { memoryStart } from './memory-start.ts';
import { pagesSection } from './pages.ts';
import { partReport } from './part.ts';
import { populationReport } from './population.ts';
import { processHistories } from './process-histories.ts';
import { timelineOf } from './timeline.ts';
import { usableHeadroom } from './usable-headroom.ts';
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
 * the file cannot be read (FILE_NOT_FOUND, FILE_NOT_A_RECORDING, FILE_CORRUPT …), TypeError for what is
 * neither a path nor a recording, TypeError and RangeError for what is no range.
 */
export function analyse(source: string | Recording, range: TimeRange = {}): SessionReport {
  requireAnalysable(source, range);
  if (typeof source !== 'string') return reportOf(source, range);
  using recording = openRecording(source);
  return reportOf(recording, range);
}

function reportOf(recording: Recording, range: TimeRange): SessionReport {
  const findings = findingsOf(recording, range);
  return { ...findings, verdict: verdictOf(findings, emptyFileOf(recording)) };
}

function findingsOf(recording: Recording, range: TimeRange): Findings {
  const events = recording.events(range);
  const followed = followTicks(recording, range, events);
  const histories = processHistories(recording, range);
  const { grounds, processes } = gatherGrounds(recording, range, {
    events,
    followed,
    histories,
    part: partReport(recording, range),
    withGrowth: true,
  });
  const records = placedProcesses(recording);
  const roles = roleReports(recording, range, processes);
  const findings: Omit<Findings, 'timeline'> = {
    schemaVersion: 1,
    session: grounds.session,
    part: grounds.part,
    coverage: {
      ...followed.coverage,
      // Beside a VM only two of the machine's processes are recorded.
      forks:
        recording.facts.source === 'agentos'
          ? null
          : forkReport(followed.forks, processes, {
              firstUnixMs: followed.coverage.firstUnixMs,
              bootUnixMs: bootTimes(events),
            }),
    },
    memory: memoryReport(recording, range, {
      extremes: followed.memory,
      startUnixMs: memoryStart(recording, events),
    }),
    usableHeadroom: usableHeadroom(
      followed.lowest,
      records.map((record) => ({
        browserPid: record.browserPid,
        lastUnixMs: record.lastUnixMs,
        mappedFile: histories.get(record.process)?.mappedFile ?? [],
      })),
    ),
    pressure: grounds.pressure,
    reclaim: followed.reclaim,
    stalls: grounds.stalls,
    warnings: followed.warnings,
    leads: leadTimes(followed.warnings, grounds.oomKills, grounds.stalls),
    growth: growthReport({
      session: followed.growth,
      tail: followed.tail,
      records,
      histories,
      roles: roles.map(({ role }) => role),
      gaps: followed.coverage.gaps,
      stalls: followed.stalls,
    }),
    curve: followed.curve,
    browser: browserReport(recording, range, followed.browser),
    roles,
    processes,
    population: populationReport(processes),
    agentOs: grounds.agentOs,
    ...pagesSection(recording, range),
    oomKills: grounds.oomKills,
    oomKillsBeforeStart: grounds.oomKillsBeforeStart,
    oomCounts: grounds.oomCounts,
    isKernelLogRead: grounds.isKernelLogRead,
    kernelLogRecordsLost: grounds.kernelLogRecordsLost,
    deaths: grounds.deaths,
    recorder: followed.recorder,
    notes: grounds.notes,
  };
  return { ...findings, timeline: timelineOf(findings) };
}
