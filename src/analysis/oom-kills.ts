import type { OomKill, OomScope, ProcessExit, RecordingEvent } from '../model/event.ts';
import { unrecordedKills } from '../model/oom-count.ts';
import type { ProcessRole } from '../model/process-role.ts';
import type { CgroupMemory } from '../model/sample.ts';
import { isAtOrBelow, isCommand, isMember } from './membership.ts';
import { findVictim, type OomAttribution, type Victim, type VictimMatch } from './oom-victim.ts';
import type { SlowReadings } from './slow-readings.ts';

export interface OomKillReport {
  /** Null when the kernel's clock cannot be tied to the wall clock. */
  timeUnixMs: number | null;
  /** As the kernel numbers it; `process` has the pid of this recording. */
  pid: number;
  comm: string;
  role: ProcessRole | null;
  rssBytes: number | null;
  scope: OomScope;
  cgroup: string | null;
  evidence: string[];
  attribution: OomAttribution;
  /**
   * It hit this session: its browser, its command, or its cgroup; where it has no limit of its own, any
   * process here for want of memory on the whole machine. A service that fell to a limit
   * of its own is another story, and so is somebody else's browser, or another container.
   */
  inSession: boolean;
  process: { pid: number; startTicks: number } | null;
  limitBytes: number | null;
  /** The cgroup that was killed as a whole. */
  oomGroup: string | null;
  /** How much of the kernel's report there is: it limits how many it prints, and drops old ones. */
  context: OomKill['context'];
}

/** What the kernel's counters and its log say of kills in the range; they are two witnesses. */
export interface OomCounts {
  /** Kills of the whole kernel by its counter; null: no such counter here. */
  machine: number | null;
  /** Kills of the session's cgroup by its counter. */
  cgroup: number | null;
  /** Of those, kills in the log that hit somebody else in that cgroup or below it. */
  cgroupOutside: number;
  /** Kills in the log. */
  recorded: number;
  /** Kills that a counter knows and the log does not. */
  withoutRecord: number;
}

export interface OomKillsReport {
  kills: OomKillReport[];
  /** In the log, but older than the recording: not kills of this session. */
  beforeStart: OomKillReport[];
  /** Kills of others that the counter of the session's cgroup has as well. */
  cgroupOutside: number;
  /** How often a cgroup was killed as a whole (memory.oom.group). */
  groupKillCount: number;
}

export interface OomKillContext {
  processes: readonly Victim[];
  intervalMs: number;
  /** The last sample: what came after it nobody saw. */
  endUnixMs: number | null;
  /** The session's memory cgroup; null without one. */
  cgroup: Pick<CgroupMemory, 'path' | 'limitBytes'> | null;
  /** How the recorded command ended. */
  command: ProcessExit | null;
  /** How the sidecar of the recorded VM ended. */
  sidecar: ProcessExit | null;
  slowReadings: SlowReadings;
}

/** Known to have hit somebody else; of a kill that is tied to nothing that is not known. */
export function isOutside(kill: OomKillReport): boolean {
  return !kill.inSession && kill.attribution !== 'none';
}

/** The kernel's kills, each with the process of this recording that it hit, where that is certain. */
export function oomKillReports(
  events: readonly RecordingEvent[],
  context: OomKillContext,
): OomKillsReport {
  const all = events.filter((event) => event.kind === 'oom_kill');
  const during = all.filter((kill) => !kill.beforeStart);
  const kills = attribute(during, context);
  return {
    kills,
    beforeStart: all
      .filter((kill) => kill.beforeStart)
      .map((kill) => killReport(kill, unknownVictim, context)),
    cgroupOutside: during.filter((kill, index) => isCountedOutside(kill, kills[index], context))
      .length,
    groupKillCount: new Set(during.flatMap(groupReport)).size,
  };
}

/** Which report of the kernel a victim of a group belongs to; the first of them has no group yet. */
function groupReport({ oomGroup, triggerPid, cgroupUsageBytes }: OomKill): string[] {
  return oomGroup === null ? [] : [`${oomGroup} ${triggerPid} ${cgroupUsageBytes}`];
}

/** Compares the counters with the log; a counter that cannot be read here is null. */
export function oomCounts(
  events: readonly RecordingEvent[],
  { kills, cgroupOutside, groupKillCount }: OomKillsReport,
  readable: { machine: boolean; cgroup: boolean },
): OomCounts {
  const machine = readable.machine ? jumps(events, 'machine') : null;
  const cgroup = readable.cgroup ? jumps(events, 'cgroup') : null;
  // The machine's counter has the cgroup's kills in it.
  const recorded = kills.length;
  // The victim that the kernel chose may be counted (and printed) again as one of its group.
  const withoutRecord = unrecordedKills(machine ?? cgroup, recorded + groupKillCount) ?? 0;
  return {
    machine,
    cgroup,
    cgroupOutside: Math.min(cgroup ?? 0, cgroupOutside),
    recorded,
    withoutRecord,
  };
}

function jumps(events: readonly RecordingEvent[], counter: 'machine' | 'cgroup'): number {
  return events
    .filter((event) => event.kind === 'oom_counter')
    .filter((event) => event.counter === counter)
    .reduce((total, event) => total + event.count, 0);
}

const unknownVictim: VictimMatch = { attribution: 'none', victim: null };

// Those with a matching pid choose first: a process dies once.
function attribute(kills: readonly OomKill[], context: OomKillContext): OomKillReport[] {
  const taken = new Set<Victim>();
  const matches = new Map<OomKill, VictimMatch>();
  for (const by of ['pid', 'inferred'] as const) {
    for (const kill of kills) {
      if (matches.has(kill)) continue;
      const victim = findVictim(kill, by, {
        ...context,
        processes: context.processes.filter((process) => !taken.has(process)),
      });
      if (victim === null) continue;
      taken.add(victim);
      matches.set(kill, { attribution: by, victim });
    }
  }
  return kills.map((kill) => killReport(kill, matches.get(kill) ?? unknownVictim, context));
}

function killReport(
  kill: OomKill,
  { attribution, victim }: VictimMatch,
  context: OomKillContext,
): OomKillReport {
  const isInCgroup = !kill.beforeStart && isInCgroupOf(kill, context);
  const isOurs = victim !== null && isVictimOurs(victim, kill, context);
  const isCgroupTelling = isInCgroup || isOfOtherLimit(kill, context);
  // Of this session and no other, by whoever runs it.
  const isTelemetry = kill.context === 'telemetry';
  const telling = isCgroupTelling ? 'cgroup' : isTelemetry ? 'telemetry' : 'none';
  return {
    timeUnixMs: kill.timeUnixMs,
    pid: kill.pid,
    comm: kill.comm,
    role: victim?.role ?? null,
    rssBytes: kill.rssBytes,
    scope: kill.scope,
    cgroup: kill.cgroup,
    evidence: [isTelemetry ? 'telemetry:system_oom_kill' : `kmsg:${kill.kmsgSequence}`],
    attribution: attribution === 'none' ? telling : attribution,
    inSession: isInCgroup || isOurs || isTelemetry,
    process: victim === null ? null : { pid: victim.pid, startTicks: victim.startTicks },
    limitBytes: kill.cgroupLimitBytes,
    oomGroup: kill.oomGroup,
    context: kill.context,
  };
}

function isVictimOurs(victim: Victim, kill: OomKill, context: OomKillContext): boolean {
  if (isMember(victim) || isCommand(victim, context.command)) return true;
  if (isCommand(victim, context.sidecar)) return true;
  // Without a limit of its own the session is the machine: whoever was killed, it ran out.
  return kill.scope === 'machine' && (context.cgroup?.limitBytes ?? null) === null;
}

// The root of a cgroup namespace and the root of the machine look alike: `/` proves nothing.
function isInCgroupOf(kill: OomKill, { cgroup }: OomKillContext): boolean {
  if (cgroup === null || cgroup.path === '/') return false;
  if (kill.cgroup === cgroup.path) return true;
  if (cgroup.limitBytes === null || isOfOtherLimit(kill, { cgroup })) return false;
  return kill.taskCgroup !== null && isAtOrBelow(kill.taskCgroup, cgroup.path);
}

/** By the limit of a cgroup that is neither the session's nor above it. */
function isOfOtherLimit(kill: OomKill, { cgroup }: Pick<OomKillContext, 'cgroup'>): boolean {
  if (cgroup === null || kill.cgroup === null || kill.scope !== 'cgroup') return false;
  // A root with a limit is that of a container, and the log has the paths of the host.
  if (cgroup.path === '/') return cgroup.limitBytes === null && kill.cgroup !== '/';
  // In a container the log has a path in front of ours.
  return !isAtOrBelow(cgroup.path, kill.cgroup) && !kill.cgroup.endsWith(cgroup.path);
}

// The counter of a cgroup has the kills of all cgroups below it.
function isCountedOutside(
  kill: OomKill,
  report: OomKillReport | undefined,
  { cgroup }: OomKillContext,
): boolean {
  if (report === undefined || cgroup === null || !isOutside(report)) return false;
  if (cgroup.path === '/') return report.process !== null;
  const path = kill.taskCgroup ?? kill.cgroup;
  return path !== null && isAtOrBelow(path, cgroup.path);
}
