import type { ProcessExit, RecordingEvent } from '../model/event.ts';
import { hostCgroupIn } from '../model/host-session.ts';
import type { ProcessRecord, Recording } from '../model/recording.ts';
import type { CgroupMemory } from '../model/sample.ts';

type Placed = Pick<ProcessRecord, 'role' | 'browserPid'>;

/** Of the session's own browser; any other Chromium on the machine has a role and no browser here. */
export function isMember({ browserPid }: Pick<ProcessRecord, 'browserPid'>): boolean {
  return browserPid !== null;
}

type Housed = Placed & Pick<ProcessRecord, 'pid' | 'cgroup'>;

/**
 * A recorder takes every browser that it sees for the session's, unless it was told whose are. Where
 * the session has a limit of its own and a browser under it, one that runs elsewhere cannot meet that
 * limit, and counts as somebody else's either way. Where no browser is under it, the limit may be the recorder's alone.
 */
export function withoutNeighbours<T extends Housed>(
  processes: readonly T[],
  session: Pick<CgroupMemory, 'path' | 'limitBytes'> | null,
): readonly T[] {
  if (session === null || session.limitBytes === null || session.path === '/') return processes;
  const browsers = processes.filter(({ pid, browserPid }) => pid === browserPid);
  const isInside = ({ cgroup }: Housed) => cgroup !== null && isAtOrBelow(cgroup, session.path);
  const outside = browsers.filter((browser) => browser.cgroup !== null && !isInside(browser));
  if (outside.length === 0 || !browsers.some(isInside)) return processes;
  const strangers = new Set(outside.map(({ pid }) => pid));
  return processes.map((process) =>
    process.browserPid !== null && strangers.has(process.browserPid)
      ? { ...process, browserPid: null }
      : process,
  );
}

/** The processes of a recording, {@link withoutNeighbours}. */
export function placedProcesses(
  recording: Pick<Recording, 'processes' | 'lastTick'>,
): readonly ProcessRecord[] {
  return withoutNeighbours(recording.processes(), recording.lastTick()?.cgroup ?? null);
}

/** Whether a cgroup is this one or below it. */
export function isAtOrBelow(path: string, top: string): boolean {
  return top === '/' || path === top || path.startsWith(`${top}/`);
}

/**
 * Whether a process is of the session, told among all that were seen: true of its own browser's, false
 * of another browser's; null where nothing tells, as outside of browsers.
 */
export function membershipAmong(processes: readonly Placed[]): (process: Placed) => boolean | null {
  // Where every browser is the session's, each belongs to itself, and a stray tab is nobody else's.
  const hasStrangers = processes.some(
    (process) => process.role === 'browser' && !isMember(process),
  );
  return (process) => {
    if (isMember(process)) return true;
    return hasStrangers && isPlacedByRole(process) ? false : null;
  };
}

// A crash handler leaves the tree of its browser, and whose it is cannot always be read.
function isPlacedByRole({ role }: Placed): boolean {
  return role !== 'other' && role !== 'crashpad';
}

/** In a session of `headroom host`, by its cgroup: most other processes are other sessions'. */
export function sharesMachine(cgroup: Pick<CgroupMemory, 'path'> | null): boolean {
  return cgroup !== null && hostCgroupIn(cgroup.path) !== null;
}

/**
 * By it lists are sorted before any figure: strangers' processes come last, and on a shared machine
 * the session's own first. 0 for every process of a machine that is the session's alone.
 */
export function membershipRank(
  { inSession }: { inSession: boolean | null },
  { isMachineShared }: { isMachineShared: boolean },
): number {
  if (inSession === false) return 2;
  return inSession === null && isMachineShared ? 1 : 0;
}

/** The end of the command that was recorded, which its parent was told; null: none, or not known. */
export function commandEndOf(events: readonly RecordingEvent[]): ProcessExit | null {
  const exits = events.filter((event) => event.kind === 'process_exit');
  return exits.find(({ source }) => source === 'parent') ?? null;
}

/** The end of the sidecar of a VM of agentOS, which its owner was told; null: none was recorded. */
export function sidecarEndOf(events: readonly RecordingEvent[]): ProcessExit | null {
  const exits = events.filter((event) => event.kind === 'process_exit');
  return exits.find(({ source }) => source === 'owner') ?? null;
}

/** Whether the process is the one of that end: the command, or the sidecar. */
export function isCommand(
  process: Pick<ProcessRecord, 'pid' | 'startTicks'>,
  end: ProcessExit | null,
): boolean {
  if (end === null || process.pid !== end.pid) return false;
  return end.startTicks === null || process.startTicks === end.startTicks;
}
