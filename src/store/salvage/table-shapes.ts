import type { Database } from '../driver.ts';
import type { StoredValue } from '../sqlite-file/record.ts';
import type { StoredRow } from '../sqlite-file/table-rows.ts';

/** How the rows of a table are stored, and how they are written again. */
export interface TableShape {
  name: string;
  /** Of the tree that the table is. */
  kind: 'table' | 'index';
  /** In the order in which they are stored. */
  columns: readonly ColumnShape[];
  insertSql: string;
}

interface ColumnShape {
  name: string;
  type: string;
  isNullable: boolean;
  /** It is the number of the row, which is stored as its key. */
  isKey: boolean;
  /** What a row has that is older than the column; undefined where there is none. */
  addedValue: StoredValue | undefined;
}

/** The tables of a database, by name. */
export function readTableShapes(db: Database): Map<string, TableShape> {
  const tables = db
    .prepare<[], { name: string; wr: number }>(
      `SELECT name, wr FROM pragma_table_list
       WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'`,
    )
    .all();
  return new Map(
    tables.map(({ name, wr }) => [name, shapeOf(db, { name, kind: wr === 1 ? 'index' : 'table' })]),
  );
}

/** The values of a row in the order of the columns; null when it is no row of this table. */
export function rowValues(shape: TableShape, row: StoredRow): StoredValue[] | null {
  const { columns } = shape;
  if (row.values.length > columns.length) return null;
  const values: StoredValue[] = [];
  for (const [index, column] of columns.entries()) {
    const stored = row.values[index];
    if (column.isKey) {
      if (stored !== null || row.key === null) return null;
      values.push(row.key);
      continue;
    }
    const value = stored === undefined ? column.addedValue : stored;
    if (value === undefined || !fits(value, column)) return null;
    values.push(value);
  }
  return values;
}

function fits(value: StoredValue, { type, isNullable }: ColumnShape): boolean {
  if (value === null) return isNullable;
  switch (type) {
    case 'INTEGER':
      return Number.isInteger(value);
    case 'REAL':
      return typeof value === 'number';
    case 'TEXT':
      return typeof value === 'string';
    case 'BLOB':
      return typeof value === 'object';
    default:
      return false;
  }
}

interface ColumnInfo {
  name: string;
  type: string;
  notnull: number;
  dflt_value: string | null;
  pk: number;
}

function shapeOf(db: Database, table: Pick<TableShape, 'name' | 'kind'>): TableShape {
  const { name, kind } = table;
  // Hidden are the columns that are computed when they are read.
  const infos = db
    .prepare<[string], ColumnInfo>(
      'SELECT name, type, "notnull", dflt_value, pk FROM pragma_table_xinfo(?) WHERE hidden = 0',
    )
    .all(name);
  const isRowNumber = (info: ColumnInfo) =>
    kind === 'table' && info.pk === 1 && info.type === 'INTEGER';
  const keyFirst = (info: ColumnInfo) => (info.pk === 0 ? Number.POSITIVE_INFINITY : info.pk);
  const stored =
    kind === 'table' ? infos : infos.toSorted((a, b) => compare(keyFirst(a), keyFirst(b)));
  const columns = stored.map(
    (info): ColumnShape => ({
      name: info.name,
      type: info.type,
      isNullable: info.notnull === 0 && info.pk === 0,
      isKey: isRowNumber(info),
      addedValue: addedValue(db, info),
    }),
  );
  const names = columns.map((column) => column.name).join(', ');
  const places = columns.map(() => '?').join(', ');
  const insertSql = `INSERT OR IGNORE INTO ${name} (${names}) VALUES (${places})`;
  return { name, kind, columns, insertSql };
}

function compare(left: number, right: number): number {
  return left === right ? 0 : left - right;
}

function addedValue(db: Database, info: ColumnInfo): StoredValue | undefined {
  if (info.dflt_value === null) return info.notnull === 0 ? null : undefined;
  return db.prepare<[], StoredValue>(`SELECT ${info.dflt_value}`).pluck().get() ?? null;
}
