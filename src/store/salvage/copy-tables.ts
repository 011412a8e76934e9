import type { OnCheckProgress } from '../check-progress.ts';
import { type Database, type Statement, sqliteCode } from '../driver.ts';
import { freePages } from '../sqlite-file/free-pages.ts';
import type { PageFile } from '../sqlite-file/page-file.ts';
import { type LostPart, pageRows, type StoredRow, tableRows } from '../sqlite-file/table-rows.ts';
import { isRightRow } from './row-check.ts';
import type { SourceSchema } from './source-schema.ts';
import { readTableShapes, rowValues, type TableShape } from './table-shapes.ts';

/** What became of one table. */
export interface TableOutcome {
  name: string;
  savedRows: number;
  /** Rows that were found and make no sense. */
  refusedRows: number;
  /** What could not be found. */
  lost: LostPart[];
}

interface Source {
  file: PageFile;
  schema: SourceSchema;
  /** Pages that were read. */
  visited: Set<number>;
  onProgress?: OnCheckProgress;
}

const tellEveryRows = 4096;

/** Copies every row that can be found into tables that are there and empty. */
export function copyTables(db: Database, source: Source): TableOutcome[] {
  const copies = [...readTableShapes(db).values()].map((shape) => new TableCopy(db, shape));
  for (const copy of copies) copy.copyTree(source);
  if (copies.some(({ outcome }) => outcome.lost.length > 0)) copyStrayPages(copies, source);
  return copies.map(({ outcome }) => outcome);
}

class TableCopy {
  readonly shape: TableShape;
  readonly outcome: TableOutcome;
  readonly #insert: Statement;

  constructor(db: Database, shape: TableShape) {
    this.shape = shape;
    this.outcome = { name: shape.name, savedRows: 0, refusedRows: 0, lost: [] };
    this.#insert = db.prepare(shape.insertSql);
  }

  copyTree({ file, schema, visited, onProgress }: Source): void {
    const onLost = (part: LostPart) => this.outcome.lost.push(part);
    const root = schema.roots.get(this.shape.name);
    if (root === undefined) {
      onLost({ page: null, afterKey: null, throughKey: null });
      return;
    }
    let rows = 0;
    for (const row of tableRows({ file, visited, onLost }, root)) {
      if (rows++ % tellEveryRows === 0) onProgress?.('saving', visited.size / file.pageCount);
      this.copy(row);
    }
  }

  /** Whether a row that no table led to is missing here. */
  misses({ key }: StoredRow): boolean {
    return this.outcome.lost.some(
      ({ afterKey, throughKey }) =>
        key === null ||
        ((afterKey === null || key > afterKey) && (throughKey === null || key <= throughKey)),
    );
  }

  copy(row: StoredRow): void {
    const values = rowValues(this.shape, row);
    if (values === null || !isRightRow(this.shape, values)) {
      this.outcome.refusedRows++;
      return;
    }
    try {
      this.outcome.savedRows += Number(this.#insert.run(...values).changes);
    } catch (error) {
      if (sqliteCode(error)?.startsWith('SQLITE_CONSTRAINT') !== true) throw error;
      this.outcome.refusedRows++;
    }
  }
}

/**
 * Rows of pages that no table leads to any more, because a page on the way is damaged. Which table
 * they are of is known by their columns.
 */
function copyStrayPages(
  copies: readonly TableCopy[],
  { file, visited }: { file: PageFile; visited: ReadonlySet<number> },
): void {
  const free = freePages(file);
  for (let number = 2; number <= file.pageCount; number++) {
    if (visited.has(number) || free.has(number)) continue;
    const rows = [...pageRows(file, number)];
    const owners = copies.filter(
      (copy) =>
        rows.every((row) => isOfTable(row, copy.shape)) && rows.some((row) => copy.misses(row)),
    );
    const [owner, another] = owners;
    if (owner === undefined || another !== undefined) continue;
    for (const row of rows) if (owner.misses(row)) owner.copy(row);
  }
}

function isOfTable(row: StoredRow, shape: TableShape): boolean {
  const isOfKind = (row.key === null) === (shape.kind === 'index');
  // A row that is shorter may be of a table that has the same columns and some less.
  const isComplete = row.values.length === shape.columns.length;
  return isOfKind && isComplete && rowValues(shape, row) !== null;
}
