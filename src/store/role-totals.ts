import { processRoles } from '../model/process-role.ts';
import type { ProcessReading } from '../model/sample.ts';

/** Sums over the browser's processes of one role at one instant. */
export interface RoleTotals {
  processCount: number;
  /** Null when one of them is unknown. */
  rssBytes: number | null;
  pssBytes: number | null;
}

type RoleMember = Pick<ProcessReading, 'role' | 'browserPid' | 'rssBytes' | 'pssEstimatedBytes'>;

const placeOfRole = new Map(processRoles.map((role, place) => [role, place]));

/** One for each of `processRoles`, in their order; given again for every tick. */
export function emptyRoleTotals(): RoleTotals[] {
  return processRoles.map(() => ({ processCount: 0, rssBytes: 0, pssBytes: 0 }));
}

export function sumRoles(members: Iterable<RoleMember>, totals: readonly RoleTotals[]): void {
  for (const total of totals) {
    total.processCount = 0;
    total.rssBytes = 0;
    total.pssBytes = 0;
  }
  for (const { role, browserPid, rssBytes, pssEstimatedBytes } of members) {
    const total = totals[placeOfRole.get(role) ?? -1];
    if (browserPid === null || total === undefined) continue;
    total.processCount++;
    total.rssBytes = plus(total.rssBytes, rssBytes);
    total.pssBytes = plus(total.pssBytes, pssEstimatedBytes);
  }
}

function plus(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a + b;
}
