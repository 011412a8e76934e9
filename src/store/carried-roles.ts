import type { ProcessRole } from '../model/process-role.ts';
import type { Database } from './driver.ts';
import { type ProcessRow, readProcessRows, readProcessRowsBackwards } from './process-rows.ts';
import { emptyRoleTotals, type RoleTotals, sumRoles } from './role-totals.ts';

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

/**
 * The sums of each role at ticks of the past, from the sparse rows: of each process its last row
 * holds, and its PSS moves with its anonymous memory. The role of a process is its latest.
 */
export class CarriedRoles {
  readonly #members: Map<number, Member>;
  readonly #rows: Iterator<ProcessRow, undefined>;
  readonly #totals = emptyRoleTotals();
  #next: ProcessRow | undefined;

  constructor(db: Database, fromSequence: number) {
    this.#members = readMembers(db, fromSequence);
    carryTo(db, this.#members, fromSequence);
    this.#rows = readProcessRows(db, { first: fromSequence, last: Number.MAX_SAFE_INTEGER }, null);
    this.#next = this.#rows.next().value;
  }

  /** The sums at a tick; ticks are asked for in their order. The array is used again. */
  at(sequence: number): readonly RoleTotals[] {
    while (this.#next !== undefined && this.#next.sequence <= sequence) {
      const member = this.#members.get(this.#next.process);
      if (member !== undefined) apply(member, this.#next);
      this.#next = this.#rows.next().value;
    }
    sumRoles(present(this.#members.values(), sequence), this.#totals);
    return this.#totals;
  }
}

function readMembers(db: Database, fromSequence: number): Map<number, Member> {
  const rows = db
    .prepare<[number], Omit<Member, 'wasPssRead'> & { peakPssBytes: number | null }>(
      `SELECT process, role, browser_pid AS browserPid, first_sequence AS firstSequence,
         last_sequence AS lastSequence, peak_pss_bytes AS peakPssBytes
       FROM process
       WHERE browser_pid IS NOT NULL AND (last_sequence IS NULL OR last_sequence >= ?)`,
    )
    .all(fromSequence);
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
  const newest = new Map<number, ProcessRow>();
  const missing = new Set<number>();
  for (const { process, firstSequence } of members.values()) {
    if (firstSequence < sequence) missing.add(process);
  }
  if (missing.size === 0) return;
  for (const row of readProcessRowsBackwards(db, sequence)) {
    const member = members.get(row.process);
    if (member === undefined || !missing.has(row.process)) continue;
    if (!newest.has(row.process)) newest.set(row.process, row);
    if (row.pssBytes !== null) apply(member, row);
    if (row.pssBytes !== null || row.sequence <= member.firstSequence || !member.wasPssRead) {
      missing.delete(row.process);
    }
    if (missing.size === 0) break;
  }
  for (const [process, row] of newest) {
    const member = members.get(process);
    if (member !== undefined) apply(member, row);
  }
}

function apply(member: Member, row: ProcessRow): void {
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
