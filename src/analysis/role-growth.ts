import type { ProcessRole } from '../model/process-role.ts';
import { type Growth, type GrowthPoint, growthOf } from './growth.ts';
import type { ProcessHistory } from './process-histories.ts';

/** A process and what its rows say of it. */
export interface GrowingProcess {
  role: ProcessRole;
  browserPid: number | null;
  lastUnixMs: number;
  history: Pick<ProcessHistory, 'anonymous'> | undefined;
}

interface Step {
  timeUnixMs: number;
  bytes: number;
}

/**
 * Growth of the anonymous memory of all of the browser's processes of a role together, which is what
 * grows when each page is small and none is closed. Null where it cannot be said.
 */
export function roleGrowth(role: ProcessRole, processes: readonly GrowingProcess[]): Growth | null {
  const members = processes.filter(
    (process) => process.role === role && process.browserPid !== null,
  );
  const steps = members.flatMap(stepsOf).sort((a, b) => a.timeUnixMs - b.timeUnixMs);
  let bytes = 0;
  const points = steps.map((step): GrowthPoint => {
    bytes += step.bytes;
    return { timeUnixMs: step.timeUnixMs, bytes };
  });
  return growthOf(points, Math.max(...members.map(({ lastUnixMs }) => lastUnixMs)));
}

/** By how much the sum changes with each row of the process, and with its end. */
function stepsOf({ history, lastUnixMs }: GrowingProcess): Step[] {
  let before = 0;
  const steps = (history?.anonymous ?? []).map(({ timeUnixMs, bytes }): Step => {
    const step = { timeUnixMs, bytes: bytes - before };
    before = bytes;
    return step;
  });
  return [...steps, { timeUnixMs: lastUnixMs + 1, bytes: -before }];
}
