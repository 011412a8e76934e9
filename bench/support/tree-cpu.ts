import { readdirSync, readFileSync } from 'node:fs';

const tickMs = 10;

/** User and system time of a process and what descends from it, those that ended and were waited for included, ms. */
export function processTreeCpuMs(rootPid: number): number {
  const stats = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap(statOf);
  const below = new Set([rootPid]);
  // A child may have a lower pid than its parent.
  for (let found = 0; found !== below.size; ) {
    found = below.size;
    for (const { pid, parentPid } of stats) if (below.has(parentPid)) below.add(pid);
  }
  return stats
    .filter(({ pid }) => below.has(pid))
    .reduce((sum, { cpuTicks }) => sum + cpuTicks * tickMs, 0);
}

function statOf(pid: string) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const cpuTicks = fields.slice(11, 15).reduce((sum, ticks) => sum + ticks, 0);
    return [{ pid: Number(pid), parentPid: fields[1] ?? 0, cpuTicks }];
  } catch (error) {
    if (error instanceof Error && 'code' in error) return [];
    throw error;
  }
}
