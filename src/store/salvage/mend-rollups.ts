import { CarriedRoles } from '../carried-roles.ts';
import type { Database } from '../driver.ts';
import { MinuteRollup } from '../minute-rollup.ts';
import { hourMs, hourOf, minuteMs, rollupKeyRange } from '../rollup-key.ts';
import { RollupWriter } from '../rollup-writer.ts';
import { readWatermarks } from '../session-row.ts';
import { lastTick, readWeightedTicks } from '../tick-rows.ts';
import { type MinuteStretch, minuteStretches } from '../time-stretches.ts';

/**
 * Makes the rollups of an hour again out of its samples, where these are all there or no rollup is
 * left; else percentiles would leave out what was lost of them. Where the names of the series are
 * lost, nothing that is left of the rollups has a meaning.
 */
export function mendRollups(db: Database, { areSeriesLost }: { areSeriesLost: boolean }): void {
  if (areSeriesLost) db.exec('DELETE FROM rollup; DELETE FROM series');
  const { rolledUpSequence, fullFromSequence } = readWatermarks(db);
  const last = lastTick(db);
  if (last === null) return;
  const writer = new RollupWriter(db);
  for (const [hourUnixMs, minutes] of minutesByHour(db, last.sequence)) {
    const ranges = ([minuteMs, hourMs] as const).map((span) =>
      rollupKeyRange(span, hourUnixMs, hourUnixMs + hourMs),
    );
    const areAllThere = minutes.every((minute) => isComplete(db, minute));
    if (!areAllThere && ranges.some((range) => countRollups(db, range) > 0)) continue;
    for (const range of ranges) db.prepare(`DELETE ${fromRollups}`).run(...range);
    for (const minute of minutes) {
      const isToBeMade = minute.first >= fullFromSequence && minute.last <= rolledUpSequence;
      if (isToBeMade) writer.writeMinute(gather(db, minute), minute.last);
    }
    if (hourUnixMs !== hourOf(last.timeUnixMs)) writer.writeHour(hourUnixMs);
  }
  // Each of the minutes has moved it to its own end.
  db.prepare('UPDATE session SET rolled_up_sequence = ?').run(rolledUpSequence);
}

function minutesByHour(db: Database, lastSequence: number): Map<number, MinuteStretch[]> {
  const hours = new Map<number, MinuteStretch[]>();
  for (const { startUnixMs, first, last } of minuteStretches(db, {})) {
    const minute = { startUnixMs, first, last: Math.min(last, lastSequence) };
    const hour = hourOf(startUnixMs);
    hours.set(hour, [...(hours.get(hour) ?? []), minute]);
  }
  return hours;
}

/** Whether no sample is missing in this minute, nor right before it. */
function isComplete(db: Database, { first, last }: MinuteStretch): boolean {
  const before = Math.max(1, first - 1);
  const count = db
    .prepare<[number, number], number>('SELECT count(*) FROM tick WHERE sequence BETWEEN ? AND ?')
    .pluck()
    .get(before, last);
  return count === last - before + 1;
}

const fromRollups = 'FROM rollup WHERE key >= ? AND key < ?';

function countRollups(db: Database, range: [number, number]): number {
  return (
    db
      .prepare<[number, number], number>(`SELECT count(*) ${fromRollups}`)
      .pluck()
      .get(...range) ?? 0
  );
}

function gather(db: Database, range: MinuteStretch): MinuteRollup {
  const minute = new MinuteRollup();
  const roles = new CarriedRoles(db, range);
  for (const { tick, weightMs } of readWeightedTicks(db, range)) {
    minute.add(tick, roles.at(tick.sequence), weightMs);
  }
  return minute;
}
