import type { OomKill, OomScope, RecordingEvent } from '../model/event.ts';
import type { ProcessRole } from '../model/process-role.ts';
import { findVictim, type OomAttribution, type VictimMatch } from './oom-victim.ts';
import type { ProcessReport } from './processes.ts';

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
   * It hit this session: its browser, its cgroup, or any process here for want of memory on the whole
   * machine. A service that fell to a limit of its own is another story, and so is another container.
   */
  inSession: boolean;
  process: { pid: number; startTicks: number } | null;
  limitBytes: number | null;
  /** The cgroup that was killed as a whole. */
  oomGroup: string | null;
}

/** What the kernel's counters and its log say of kills in the range; they are two witnesses. */
export interface OomCounts {
  /** Kills of the whole kernel by its counter; null: no such counter here. */
  machine: number | null;
  /** Kills of the session's cgroup by its counter. */
  cgroup: number | null;
  /** Kills in the log. */
  recorded: number;
  /** Kills that a counter knows and the log does not. */
  withoutRecord: number;
}

export interface OomKillsReport {
  kills: OomKillReport[];
  /** In the log, but older than the recording: not kills of this session. */
  beforeStart: OomKillReport[];
}

export interface OomKillContext {
  processes: readonly ProcessReport[];
  intervalMs: number;
  /** The last sample: what came after it nobody saw. */
  endUnixMs: number | null;
  /** Path of the session's memory cgroup; null without one. */
  cgroupPath: string | null;
}

/** The kernel's kills, each with the process of this recording that it hit, where that is certain. */
export function oomKillReports(
  events: readonly RecordingEvent[],
  context: OomKillContext,
): OomKillsReport {
  const kills = events.filter((event) => event.kind === 'oom_kill');
  return {
    kills: attribute(
      kills.filter((kill) => !kill.beforeStart),
      context,
    ),
    beforeStart: kills
      .filter((kill) => kill.beforeStart)
      .map((kill) => killReport(kill, unknownVictim, context)),
  };
}

/** Compares the counters with the log; a counter that cannot be read here is null. */
export function oomCounts(
  events: readonly RecordingEvent[],
  kills: readonly OomKillReport[],
  readable: { machine: boolean; cgroup: boolean },
): OomCounts {
  const machine = readable.machine ? jumps(events, 'machine') : null;
  const cgroup = readable.cgroup ? jumps(events, 'cgroup') : null;
  // The machine's counter has the cgroup's kills in it.
  const counted = machine ?? cgroup ?? 0;
  const recorded = kills.length;
  return { machine, cgroup, recorded, withoutRecord: Math.max(0, counted - recorded) };
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
  const taken = new Set<ProcessReport>();
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
  const isOurs = victim !== null && (victim.role !== 'other' || kill.scope === 'machine');
  return {
    timeUnixMs: kill.timeUnixMs,
    pid: kill.pid,
    comm: kill.comm,
    role: victim?.role ?? null,
    rssBytes: kill.rssBytes,
    scope: kill.scope,
    cgroup: kill.cgroup,
    evidence: [`kmsg:${kill.kmsgSequence}`],
    attribution: attribution === 'none' && isInCgroup ? 'cgroup' : attribution,
    inSession: isInCgroup || isOurs,
    process: victim === null ? null : { pid: victim.pid, startTicks: victim.startTicks },
    limitBytes: kill.cgroupLimitBytes,
    oomGroup: kill.oomGroup,
  };
}

// The root of a cgroup namespace and the root of the machine look alike: `/` proves nothing.
function isInCgroupOf(kill: OomKill, { cgroupPath }: OomKillContext): boolean {
  if (cgroupPath === null || cgroupPath === '/' || kill.cgroup === null) return false;
  return kill.cgroup === cgroupPath || kill.cgroup.startsWith(`${cgroupPath}/`);
}
