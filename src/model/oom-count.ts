/**
 * How many kills the kernel counted and its log did not tell: victims that were already exiting,
 * records overwritten before they were read, or no access to the log. `countedKills` is the
 * difference of an `oom_kill` counter between two readings (`/proc/vmstat`: the whole kernel,
 * memory.events or memory.oom_control: the cgroup only), null when there is no counter.
 */
export function unrecordedKills(countedKills: number | null, recordedKills: number): number | null {
  return countedKills === null ? null : Math.max(0, countedKills - recordedKills);
}
