import { HeadroomError } from '../model/errors.ts';
import { weightMs } from '../model/gap.ts';
import type { BriefTick, Tick } from '../model/session-memory.ts';
import { agentOsFromRow, agentOsSelection, hasAgentOsTable } from './agentos-rows.ts';
import type { Database } from './driver.ts';
import {
  briefColumns,
  briefTickFromRow,
  type SqlValue,
  type TickColumn,
  tickColumns,
  tickFromRow,
} from './tick-columns.ts';

export interface SequenceRange {
  first: number;
  last: number;
}

/** Where a recording has come to. */
export type TickMoment = Pick<Tick, 'sequence' | 'timeUnixMs' | 'monotonicMs'>;

// Few enough to be held in memory, many enough that a query for each page costs nothing.
const pageSize = 1000;

const selectionOf = (columns: readonly TickColumn[]) =>
  columns.map(({ table, name }) => `${table}.${name}`).join(', ');
const fromTick = `
  FROM tick
  JOIN tick_setting AS setting
    ON setting.sequence = (SELECT max(sequence) FROM tick_setting WHERE sequence <= tick.sequence)`;
const selectAll = `SELECT tick.sequence, ${selectionOf(tickColumns)}`;
const selectBrief = `SELECT tick.sequence, ${selectionOf(briefColumns)} ${fromTick}`;

function selectTick(db: Database): string {
  if (!hasAgentOsTable(db)) return `${selectAll} ${fromTick}`;
  return `${selectAll}, ${agentOsSelection} ${fromTick}
    LEFT JOIN agentos_tick AS agentos ON agentos.sequence = tick.sequence`;
}

type Row = Record<string, SqlValue>;

/**
 * The ticks of a range, by sequence. Read in pages, so that no read transaction stays open while
 * the caller works: on a live file that would keep its log from being emptied.
 */
export function* readTicks(db: Database, range: SequenceRange): IterableIterator<Tick> {
  for (const row of readRows(db, range, selectTick(db))) yield tickOf(row);
}

/** Likewise, of each tick a third of its figures. */
export function* readBriefTicks(db: Database, range: SequenceRange): IterableIterator<BriefTick> {
  for (const row of readRows(db, range, selectBrief)) yield briefTickFromRow(row);
}

function* readRows(db: Database, range: SequenceRange, select: string): IterableIterator<Row> {
  const page = db.prepare<[number, number], Row>(
    `${select} WHERE tick.sequence BETWEEN ? AND ? ORDER BY tick.sequence LIMIT ${pageSize}`,
  );
  let { first } = range;
  for (;;) {
    const rows = page.all(first, range.last);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < pageSize) return;
    const next = Number(last['sequence']) + 1;
    if (!(next > first))
      throw new HeadroomError('FILE_CORRUPT', 'the ticks are not in their order');
    first = next;
  }
}

/** Null when there is none. */
export function firstTick(db: Database): Tick | null {
  return oneTick(db.prepare<[], Row>(`${selectTick(db)} ORDER BY tick.sequence LIMIT 1`).get());
}

/** Null when there is none. */
export function lastTick(db: Database): Tick | null {
  return tickBefore(db, Number.MAX_SAFE_INTEGER);
}

/** The tick before a position; null when there is none. */
export function tickBefore(db: Database, sequence: number): Tick | null {
  const select = db.prepare<[number], Row>(
    `${selectTick(db)} WHERE tick.sequence < ? ORDER BY tick.sequence DESC LIMIT 1`,
  );
  return oneTick(select.get(sequence));
}

/** The ticks of a range with the time that each stands for. */
export function* readWeightedTicks(
  db: Database,
  range: SequenceRange,
): IterableIterator<{ tick: Tick; weightMs: number }> {
  let before = tickBefore(db, range.first);
  for (const tick of readTicks(db, range)) {
    yield { tick, weightMs: weightMs(before, tick, tick.intervalMs) };
    before = tick;
  }
}

function oneTick(row: Row | undefined): Tick | null {
  return row === undefined ? null : tickOf(row);
}

function tickOf(row: Row): Tick {
  const tick = tickFromRow(row);
  // Left out of files without the table.
  return 'agentos_sequence' in row ? { ...tick, agentOs: agentOsFromRow(row) } : tick;
}
