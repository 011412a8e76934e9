import type { ProcessRole } from '../model/process-role.ts';
import type { Database } from './driver.ts';
import { processesPerTick } from './process-row-columns.ts';
import { emptyRoleTotals, type RoleTotals, sumRoles } from './role-totals.ts';

import type { SequenceRange } from './tick-rows.ts';

interface Member {
  process: number;
  role: ProcessRole;
  browserPid: number;
  firstSequence: number;
  /** Null while it is there. */
  lastSequence: number | null;
  wasPssRead: boolean;
  rssBytes: number | null;
  pssEstimatedBytes: number | null;
  /** PSS less anonymous memory at the last reading of PSS. */
  pssAboveAnonBytes: number | null;
}

interface MemoryRow {
  sequence: number;
  process: number;
  rssBytes: number | null;
  anonBytes: number | null;
  pssBytes: number | null;
}

/**
 * The sums of each role at ticks of the past, from the sparse rows: of each process its last row
 * holds, and its PSS moves with its anonymous memory. The role of a process is its latest. Made for
 * stretches of minutes: the rows of the range are held in memory.
 */
export class CarriedRoles {
  readonly #members: ReadonlyMap<number, Member>;
  readonly #rows: readonly MemoryRow[];
  readonly #totals = emptyRoleTotals();
  #next = 0;

  constructor(db: Database, range: SequenceRange) {
    this.#members = readMembers(db, range);
    carryTo(db, this.#members, range.first);
    this.#rows = db.prepare<KeyRange, MemoryRow>(`${selectRows} ORDER BY key`).all({
      first: range.first * processesPerTick,
      last: (range.last + 1) * processesPerTick - 1,
    });
  }

  /** The sums at a tick; ticks are asked for in their order. The array is used again. */
  at(sequence: number): readonly RoleTotals[] {
    for (; this.#next < this.#rows.length; this.#next++) {
      const row = this.#rows[this.#next];
      if (row === undefined || row.sequence > sequence) break;
      const member = this.#members.get(row.process);
      if (member !== undefined) apply(member, row);
    }
    sumRoles(present(this.#members.values(), sequence), this.#totals);
    return this.#totals;
  }
}

interface KeyRange {
  first: number;
  last: number;
}

const selectRows = `
  SELECT key, sequence, process, rss_bytes AS rssBytes, anon_bytes AS anonBytes, NULL AS pssBytes
  FROM process_row WHERE key BETWEEN @first AND @last
  UNION ALL
  SELECT key, sequence, process, rss_bytes, anon_bytes, pss_bytes
  FROM process_pss_row WHERE key BETWEEN @first AND @last`;

function readMembers(db: Database, range: SequenceRange): Map<number, Member> {
  const rows = db
    .prepare<[number, number], Omit<Member, 'wasPssRead'> & { peakPssBytes: number | null }>(
      `SELECT process, role, browser_pid AS browserPid, first_sequence AS firstSequence,
         last_sequence AS lastSequence, peak_pss_bytes AS peakPssBytes
       FROM process
       WHERE browser_pid IS NOT NULL AND first_sequence <= ?
         AND (last_sequence IS NULL OR last_sequence >= ?)`,
    )
    .all(range.last, range.first);
  return new Map(
    rows.map(({ peakPssBytes, ...row }) => [
      row.process,
      {
        ...row,
        wasPssRead: peakPssBytes !== null,
        rssBytes: null,
        pssEstimatedBytes: null,
        pssAboveAnonBytes: null,
      },
    ]),
  );
}

/** Gives every process that was there before a position the state that its earlier rows left. */
function carryTo(db: Database, members: ReadonlyMap<number, Member>, sequence: number): void {
  const missing = new Set<number>();
  for (const { process, firstSequence } of members.values()) {
    if (firstSequence < sequence) missing.add(process);
  }
  if (missing.size === 0) return;
  const newest = new Map<number, MemoryRow>();
  const backwards = db
    .prepare<KeyRange, MemoryRow>(`${selectRows} ORDER BY key DESC`)
    .iterate({ first: 0, last: sequence * processesPerTick - 1 });
  for (const row of backwards) {
    const member = members.get(row.process);
    if (member === undefined || !missing.has(row.process)) continue;
    if (!newest.has(row.process)) newest.set(row.process, row);
    if (row.pssBytes !== null) apply(member, row);
    const isFirst = row.sequence <= member.firstSequence;
    if (row.pssBytes !== null || isFirst || !member.wasPssRead) missing.delete(row.process);
    if (missing.size === 0) break;
  }
  for (const [process, row] of newest) {
    const member = members.get(process);
    if (member !== undefined) apply(member, row);
  }
}

function apply(member: Member, row: MemoryRow): void {
  const { rssBytes, anonBytes, pssBytes } = row;
  member.rssBytes = rssBytes;
  if (pssBytes !== null && anonBytes !== null) member.pssAboveAnonBytes = pssBytes - anonBytes;
  const above = member.pssAboveAnonBytes;
  member.pssEstimatedBytes = above === null || anonBytes === null ? null : above + anonBytes;
}

function* present(members: Iterable<Member>, sequence: number): IterableIterator<Member> {
  for (const member of members) {
    const { firstSequence, lastSequence } = member;
    if (firstSequence <= sequence && (lastSequence === null || sequence <= lastSequence)) {
      yield member;
    }
  }
}
