import { formatBytes } from '../model/format-bytes.ts';
import type { ProcessRole } from '../model/process-role.ts';
import type { EndGrowth } from './end-growth.ts';
import { formatDuration } from './format.ts';
import type { LargestStep } from './growth-report.ts';

/** Who began: `gpu 214, 9 × renderer`. */
export function startedWords(started: LargestStep['started']): string {
  const byRole = new Map<ProcessRole, number[]>();
  for (const { pid, role } of started) byRole.set(role, [...(byRole.get(role) ?? []), pid]);
  return [...byRole]
    .map(([role, pids]) => (pids.length === 1 ? `${role} ${pids[0]}` : `${pids.length} × ${role}`))
    .join(', ');
}

/** `by 440 MiB a minute over the last 30 s, up to the last sample: at this pace the limit is met 31 s after it`. */
export function endGrowthWords({ bytesPerMinute, lengthMs, timeToLimitMs }: EndGrowth): string {
  const pace = `by ${formatBytes(bytesPerMinute)} a minute over the last ${formatDuration(lengthMs)}`;
  return `${pace}, up to the last sample: at this pace the limit is met ${formatDuration(timeToLimitMs)} after it`;
}
