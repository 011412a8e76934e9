import type { ProcessRole } from '../../../model/process-role.ts';
import type { Recording } from '../../../model/recording.ts';
import type { TimeRange } from '../../../model/time-range.ts';
import { inGroups } from '../../in-groups.ts';
import { BrowserRoles, type RoleTotals } from '../../role-totals.ts';
import { fieldColumns, type Table, tableOf } from './table.ts';

/** The processes of one role at one sample. */
export interface RoleRecord extends RoleTotals {
  sequence: number;
  timeUnixMs: number;
  role: ProcessRole;
}

export const roleTable: Table = tableOf<RoleRecord>({
  name: 'roles',
  help: "the browser's processes of one role at one sample, added up",
  columns: fieldColumns<keyof RoleRecord>({
    sequence: 'integer',
    timeUnixMs: 'instant',
    role: 'text',
    processCount: 'integer',
    pssBytes: 'integer',
    rssBytes: 'integer',
    anonBytes: 'integer',
    swapBytes: 'integer',
    largestRssBytes: 'integer',
    cpuMs: 'integer',
    oomVictimCount: 'integer',
  }),
  records: roleRecords,
});

// The rows of the processes of so many ticks are in memory at a time.
const ticksAtATime = 100;

/** The sums of every role that the browser has had so far, at every tick; of dead ones 0. */
export function* roleRecords(recording: Recording, range: TimeRange): Generator<RoleRecord> {
  const roles = new BrowserRoles();
  if (range.fromUnixMs !== undefined) roles.skipTo(recording, range.fromUnixMs - 1);
  for (const ticks of inGroups(recording.ticks(range), ticksAtATime)) {
    const snapshots = roles.totalsAt(recording, ticks);
    for (const [index, { sequence, timeUnixMs }] of ticks.entries()) {
      for (const [role, totals] of snapshots[index] ?? []) {
        yield { sequence, timeUnixMs, role, ...totals };
      }
    }
  }
}
