import type { Database } from '../driver.ts';
import { processesPerTick } from '../process-row-columns.ts';
import { windowOf } from '../rollup-key.ts';
import type { TableOutcome } from './copy-tables.ts';

/** What was saved of a table, and what was not. */
export interface TableLoss {
  name: string;
  savedRows: number;
  /** Rows that were found and make no sense. */
  refusedRows: number;
  /** Pages that could not be read, with nobody knows how many rows. */
  lostPages: number;
  /** The times of what is lost, as far as they can be told; by time, and apart from each other. */
  lostTimes: readonly LostTime[];
}

export interface LostTime {
  /** Null: from the beginning of the table. */
  fromUnixMs: number | null;
  /** Null: to its end. */
  toUnixMs: number | null;
}

/** Tells when what was lost of a table was, from what is left around it. */
export function tableLoss(db: Database, outcome: TableOutcome): TableLoss {
  const { name, savedRows, refusedRows, lost } = outcome;
  const timeOf = timeReader(db, name);
  const times = lost.map(({ afterKey, throughKey }) => ({
    fromUnixMs: afterKey === null ? null : timeOf(afterKey),
    toUnixMs: throughKey === null ? null : timeOf(throughKey),
  }));
  return {
    name,
    savedRows,
    refusedRows,
    lostPages: lost.filter(({ page }) => page !== null).length,
    lostTimes: hasTimes(name) ? joined(times) : [],
  };
}

function joined(times: readonly LostTime[]): LostTime[] {
  const apart: LostTime[] = [];
  const sorted = times.toSorted((a, b) => start(a) - start(b));
  for (const time of sorted) {
    const before = apart.at(-1);
    if (before === undefined || start(time) > end(before)) apart.push({ ...time });
    else if (end(time) > end(before)) before.toUnixMs = time.toUnixMs;
  }
  return apart;
}

function start({ fromUnixMs }: LostTime): number {
  return fromUnixMs ?? Number.NEGATIVE_INFINITY;
}

function end({ toUnixMs }: LostTime): number {
  return toUnixMs ?? Number.POSITIVE_INFINITY;
}

// What the sequence of a sample is, by the key of a row.
const sequenceSql: Readonly<Record<string, string>> = {
  tick: '?',
  tick_setting: '?',
  tick_minute: '?',
  process_row: `? / ${processesPerTick}`,
  process_pss_row: `? / ${processesPerTick}`,
  event: '(SELECT max(sequence) FROM event WHERE event <= ?)',
  process: '(SELECT max(first_sequence) FROM process WHERE process <= ?)',
};

function hasTimes(table: string): boolean {
  return table === 'rollup' || sequenceSql[table] !== undefined;
}

function timeReader(db: Database, table: string): (key: number) => number | null {
  if (table === 'rollup') return (key) => windowOf(key).startUnixMs;
  const sequence = sequenceSql[table];
  if (sequence === undefined) return () => null;
  // The sample itself may be lost as well.
  const select = db
    .prepare<[number], number>(
      `SELECT time_unix_ms FROM tick WHERE sequence <= ${sequence} ORDER BY sequence DESC LIMIT 1`,
    )
    .pluck();
  return (key) => select.get(key) ?? null;
}
