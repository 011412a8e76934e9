import type { ProcessRole } from '../model/process-role.ts';
import type { LargestStep } from './growth-report.ts';

/** Who began: `gpu 214, 9 × renderer`. */
export function startedWords(started: LargestStep['started']): string {
  const byRole = new Map<ProcessRole, number[]>();
  for (const { pid, role } of started) byRole.set(role, [...(byRole.get(role) ?? []), pid]);
  return [...byRole]
    .map(([role, pids]) => (pids.length === 1 ? `${role} ${pids[0]}` : `${pids.length} × ${role}`))
    .join(', ');
}
