import { formatBytes } from '../model/format-bytes.ts';
import { formatCount, formatInstant } from './format.ts';
import type { Grounds } from './grounds.ts';
import type { OomKillReport } from './oom-kills.ts';

/** What the kernel's OOM killer did to this session, as one clause; null: nothing that is known. */
export function describeKills(grounds: Grounds): string | null {
  const kills = grounds.oomKills.filter((kill) => kill.inSession);
  const [first] = kills;
  if (first !== undefined && kills.length === 1) {
    return `The kernel's OOM killer ended ${victim(first)} at ${formatInstant(first.timeUnixMs)}: ${reason(first)}`;
  }
  if (first !== undefined) {
    return `The kernel's OOM killer ended ${kills.length} processes of this session (${tally(kills)}), the first at ${formatInstant(first.timeUnixMs)}: ${reason(first)}`;
  }
  const counted = (grounds.oomCounts.cgroup ?? 0) - grounds.oomCounts.cgroupOutside;
  if (counted > 0) {
    return `The kernel's OOM killer ended ${formatCount(counted, 'process', 'processes')} in this session's memory cgroup by its counter, and which is not recorded`;
  }
  const inferred = grounds.deaths.find((death) => death.verdict === 'kernel_oom');
  if (inferred === undefined) return null;
  return `The kernel's OOM killer most likely ended ${inferred.comm} (${inferred.role}, pid ${inferred.pid}) at ${formatInstant(inferred.timeUnixMs)}`;
}

/** Kills that are known to have hit others. */
export function outsideWords(count: number): string {
  return `${formatCount(count, 'OOM kill')} on this machine outside of this session`;
}

/** Who was killed: what it was here, else the name and pid in the kernel's log. */
export function victim(kill: OomKillReport): string {
  const size = kill.rssBytes === null ? '' : `, ${formatBytes(kill.rssBytes)} resident`;
  if (kill.process === null) return `${kill.comm} (kernel pid ${kill.pid}${size})`;
  const what = kill.role === null || kill.role === 'other' ? kill.comm : `a ${kill.role} process`;
  return `${what} (pid ${kill.process.pid}${size})`;
}

function reason({ scope, limitBytes }: OomKillReport): string {
  switch (scope) {
    case 'cgroup':
      return limitBytes === null
        ? 'its memory cgroup was full'
        : `its memory cgroup was at its limit of ${formatBytes(limitBytes)}`;
    case 'machine':
      return 'the machine was out of memory';
    case 'cpuset':
      return 'the memory nodes that its cpuset allows were full';
    case 'mempolicy':
      return 'the memory nodes that its memory policy allows were full';
    case 'unknown':
      return 'which limit was hit is not recorded';
  }
}

function tally(kills: readonly OomKillReport[]): string {
  const counts = new Map<string, number>();
  for (const kill of kills) {
    const what = kill.role === null || kill.role === 'other' ? kill.comm : kill.role;
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  return [...counts].map(([what, count]) => `${count} × ${what}`).join(', ');
}
