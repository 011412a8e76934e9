import { CarriedRoles } from './carried-roles.ts';
import type { Database } from './driver.ts';
import { MinuteRollup } from './minute-rollup.ts';
import { readWatermarks } from './session-row.ts';
import { readWeightedTicks } from './tick-rows.ts';

/**
 * The ticks that no rollup has yet, gathered as their recorder gathered them. They are all of one
 * minute: the first tick of the next one closes it in its own transaction.
 */
export function readOpenMinute(db: Database): MinuteRollup {
  const minute = new MinuteRollup();
  const first = 1 + readWatermarks(db).rolledUpSequence;
  const range = { first, last: Number.MAX_SAFE_INTEGER };
  const roles = new CarriedRoles(db, range);
  for (const { tick, weightMs } of readWeightedTicks(db, range)) {
    minute.add(tick, roles.at(tick.sequence), weightMs);
  }
  return minute;
}
