import { type BtreePage, type Cell, parseBtreePage, readPayload } from './btree-page.ts';
import type { PageFile } from './page-file.ts';
import { readRecord, type StoredValue } from './record.ts';

/** A row as it is stored: of a table by number its `key`, which is none of the values. */
export interface StoredRow {
  key: number | null;
  values: readonly StoredValue[];
}

/** A part of a table that could not be read; the keys are those before and behind it, if known. */
export interface LostPart {
  /** Null: rows of a page that is there. */
  page: number | null;
  afterKey: number | null;
  throughKey: number | null;
}

/** What is told of a table while its rows are read. */
export interface TableWalk {
  file: PageFile;
  /** Pages that were read, of all tables; none is read twice. */
  visited: Set<number>;
  onLost(part: LostPart): void;
}

// A tree of ours is four deep at most; a damaged one may be a circle.
const deepest = 20;

/** The rows of the table that has this page as its root, in the order of their keys. */
export function* tableRows(walk: TableWalk, root: number): Generator<StoredRow> {
  yield* subtreeRows(walk, { number: root, depth: 0, afterKey: null, throughKey: null });
}

/** The rows of one page that no table led to; none when it is not one with rows. */
export function* pageRows(file: PageFile, number: number): Generator<StoredRow> {
  const bytes = file.page(number);
  const page =
    bytes === null ? null : parseBtreePage(bytes, { number, usableBytes: file.usableBytes });
  for (const cell of page?.cells ?? []) {
    const row = readRow(cell, file);
    if (row !== null) yield row;
  }
}

interface Subtree {
  number: number;
  depth: number;
  afterKey: number | null;
  throughKey: number | null;
}

function* subtreeRows(walk: TableWalk, subtree: Subtree): Generator<StoredRow> {
  const { number, depth, throughKey } = subtree;
  const page = readPage(walk, subtree);
  if (page === null) {
    walk.onLost({ page: number, afterKey: subtree.afterKey, throughKey });
    return;
  }
  if (walk.file.isStale(number)) {
    walk.onLost({ page: null, afterKey: subtree.afterKey, throughKey });
  }
  let { afterKey } = subtree;
  for (const [index, cell] of page.cells.entries()) {
    const nextKey = page.cells[index + 1]?.key ?? null;
    // Of two keys that are not in order the one is taken that fits the next.
    const isAhead = isBetween(nextKey, afterKey, throughKey) && !isBetween(cell.key, null, nextKey);
    if (isAhead || !isBetween(cell.key, afterKey, throughKey)) {
      walk.onLost({ page: null, afterKey, throughKey });
      continue;
    }
    if (cell.child !== null) {
      const below = { number: cell.child, depth: depth + 1, afterKey, throughKey: cell.key };
      yield* subtreeRows(walk, below);
    }
    if (cell.payload !== null) {
      const row = readRow(cell, walk.file);
      if (row !== null) yield row;
      else walk.onLost({ page: null, afterKey, throughKey });
    }
    afterKey = cell.key;
  }
  for (let broken = 0; broken < page.brokenCells; broken++) {
    walk.onLost({ page: null, afterKey: subtree.afterKey, throughKey });
  }
  if (page.lastChild !== null) {
    yield* subtreeRows(walk, { number: page.lastChild, depth: depth + 1, afterKey, throughKey });
  }
}

function readPage({ file, visited }: TableWalk, subtree: Subtree): BtreePage | null {
  const { number, depth, afterKey, throughKey } = subtree;
  if (depth > deepest || number < 1 || number > file.pageCount || visited.has(number)) return null;
  const bytes = file.page(number);
  if (bytes === null) return null;
  const page = parseBtreePage(bytes, { number, usableBytes: file.usableBytes });
  if (page === null) return null;
  // A page without a single row of this place was led to by a number that was damaged.
  const isOfHere = page.cells.some(({ key }) => isBetween(key, afterKey, throughKey));
  if (!isOfHere && page.cells.length > 0) return null;
  visited.add(number);
  return page;
}

/** Rows are found by their key: one that is out of its place is a key that was damaged. */
function isBetween(key: number | null, after: number | null, through: number | null): boolean {
  if (key === null) return true;
  return (after === null || key > after) && (through === null || key <= through);
}

function readRow(cell: Cell, file: PageFile): StoredRow | null {
  if (cell.payload === null) return null;
  const bytes = readPayload(cell.payload, file);
  const values = bytes === null ? null : readRecord(bytes);
  return values === null ? null : { key: cell.key, values };
}
