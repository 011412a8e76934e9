import type { OomKill, OomScope } from '../../model/event.ts';
import type { KillLine, OomLine, SummaryLine, Victim } from './oom-line.ts';
import type { KmsgRecord } from './record.ts';
import { type ListedTask, TaskTable } from './task-table.ts';

/** What the lines of one report have told so far; its kills inherit it. */
export interface Report {
  hasHeader: boolean;
  triggerComm: string | null;
  triggerPid: number | null;
  usageKb: number | null;
  limitKb: number | null;
  cgroup: string | null;
  taskCgroup: string | null;
  table: TaskTable | null;
  summary: SummaryLine | null;
  oomGroup: string | null;
  /** Pids of the kills given out. */
  victims: Set<number>;
  lastKillUs: number;
}

/** One kill as the kernel's log tells it: sizes in kB, names as one byte per character (latin1). */
export interface ReportedKill {
  /** The record that is the evidence: the kill line, or the summary line where there is none. */
  sequence: number;
  timeUs: number;
  victim: Victim;
  /** anon + file + shmem of the kill line. */
  rssKb: number | null;
  scope: OomScope;
  circumstances: Circumstances;
  context: OomKill['context'];
}

/** What the report says besides who was killed; null where the line was not seen. */
export interface Circumstances {
  constraint: string | null;
  cpuset: string | null;
  memsAllowed: string | null;
  cgroup: string | null;
  taskCgroup: string | null;
  triggerComm: string | null;
  triggerPid: number | null;
  usageKb: number | null;
  /** As printed: 9007199254740988 kB is the kernel's "no limit". */
  limitKb: number | null;
  tasksListed: number | null;
  largestOther: ListedTask | null;
  oomGroup: string | null;
}

export function emptyReport(): Report {
  return {
    hasHeader: false,
    triggerComm: null,
    triggerPid: null,
    usageKb: null,
    limitKb: null,
    cgroup: null,
    taskCgroup: null,
    table: null,
    summary: null,
    oomGroup: null,
    victims: new Set(),
    lastKillUs: 0,
  };
}

/** Adds a line that only describes; lines that decide something are left to the parser. */
export function addDetail(report: Report, line: OomLine): void {
  switch (line.line) {
    case 'cpu':
      // Other stack dumps may fall in between: the comm must be the header's.
      if (report.triggerComm !== null && line.rest.startsWith(`${report.triggerComm} `)) {
        report.triggerPid ??= line.pid;
      }
      break;
    case 'usage':
      report.usageKb = line.usageKb;
      report.limitKb = line.limitKb;
      break;
    case 'cgroups':
      report.cgroup = line.cgroup;
      report.taskCgroup = line.taskCgroup;
      break;
    case 'columns':
      report.table = new TaskTable(line.names);
      break;
    case 'task':
      report.table?.add(line.pid, line.rest);
      break;
    case 'group':
      report.oomGroup = line.cgroup;
      break;
  }
}

/** The kill that a kill line states. `announced` is the scope of a `Kill process` line before it. */
export function killOfLine(
  line: KillLine,
  announced: OomScope | null,
  from: { report: Report; record: KmsgRecord },
): ReportedKill {
  const { anonKb, fileKb, shmemKb } = line.victim;
  return {
    sequence: from.record.sequence,
    timeUs: from.record.timeUs,
    victim: line.victim,
    rssKb: anonKb === null ? null : anonKb + (fileKb ?? 0) + (shmemKb ?? 0),
    scope: scopeOf(line.scope ?? announced, from.report),
    circumstances: circumstances(from.report, line.victim.pid),
    context: from.report.hasHeader ? 'full' : 'kill_line_only',
  };
}

/** The kill that only a summary line states: who, but not how large. */
export function killOfSummary(
  summary: SummaryLine,
  from: { report: Report; record: KmsgRecord },
): ReportedKill {
  const victim: Victim = {
    pid: summary.pid,
    comm: summary.comm,
    uid: summary.uid,
    totalVmKb: null,
    anonKb: null,
    fileKb: null,
    shmemKb: null,
    pageTablesKb: null,
    oomScoreAdj: null,
  };
  return {
    sequence: from.record.sequence,
    timeUs: from.record.timeUs,
    victim,
    rssKb: null,
    scope: scopeOf(null, from.report),
    circumstances: circumstances(from.report, summary.pid),
    context: 'summary_line_only',
  };
}

function circumstances(report: Report, victimPid: number): Circumstances {
  const { summary, table } = report;
  return {
    constraint: summary?.constraint ?? null,
    cpuset: summary?.cpuset ?? null,
    memsAllowed: summary?.memsAllowed ?? null,
    cgroup: summary?.cgroup ?? report.cgroup,
    taskCgroup: summary?.taskCgroup ?? report.taskCgroup,
    triggerComm: report.triggerComm,
    triggerPid: report.triggerPid,
    usageKb: report.usageKb,
    limitKb: report.limitKb,
    tasksListed: table?.size ?? null,
    largestOther: table?.largestBesides(victimPid) ?? null,
    oomGroup: report.oomGroup,
  };
}

const scopeOfConstraint: ReadonlyMap<string | undefined, OomScope> = new Map([
  ['CONSTRAINT_NONE', 'machine'],
  ['CONSTRAINT_MEMCG', 'cgroup'],
  ['CONSTRAINT_CPUSET', 'cpuset'],
  ['CONSTRAINT_MEMORY_POLICY', 'mempolicy'],
]);

// The kill line tells cgroups from all the rest; the constraint tells what the rest is.
function scopeOf(words: OomScope | null, report: Report): OomScope {
  if (words === 'cgroup') return 'cgroup';
  const known = scopeOfConstraint.get(report.summary?.constraint);
  if (known !== undefined) return known;
  const cgroup = report.summary?.cgroup ?? report.cgroup;
  return cgroup === null ? (words ?? 'unknown') : 'cgroup';
}
