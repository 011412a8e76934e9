import type { Recording } from '../../../model/recording.ts';
import type { TimeRange } from '../../../model/time-range.ts';

/**
 * What a column holds. integer: exact, up to 64 bits. integers: a list of such. real: a double.
 * instant: ms since the epoch, which each format writes as its own kind of time, in UTC.
 */
export type ColumnKind = 'integer' | 'integers' | 'real' | 'text' | 'instant' | 'boolean';

export interface Column {
  /** The name of the model in snake_case, which says the unit (docs/schema.md); an instant ends in `time`. */
  name: string;
  kind: ColumnKind;
}

/** Null is unknown, in every kind. */
export type Cell = number | bigint | string | boolean | readonly number[] | null;

/** A recording as rows, for formats that have columns. */
export interface Table {
  name: string;
  /** What one row is. */
  help: string;
  columns: readonly Column[];
  /** A cell for each column, as they come: no row is kept. */
  rows(recording: Recording, range: TimeRange): Iterable<readonly Cell[]>;
}

/** A column, and how it is made of a record. */
export type ColumnOf<R> = Column & { read(record: R): Cell };

/** A table out of records. */
export function tableOf<R>(parts: {
  name: string;
  help: string;
  columns: readonly ColumnOf<R>[];
  records(recording: Recording, range: TimeRange): Iterable<R>;
}): Table {
  const readers = parts.columns.map(({ read }) => read);
  return {
    name: parts.name,
    help: parts.help,
    columns: parts.columns.map(({ name, kind }) => ({ name, kind })),
    *rows(recording, range) {
      for (const record of parts.records(recording, range)) {
        yield readers.map((read) => read(record));
      }
    },
  };
}

/** `availableBytes` as `available_bytes`. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Columns that are fields of the record, under their own names. */
export function fieldColumns<K extends string>(
  kinds: Readonly<Record<K, ColumnKind>>,
): ColumnOf<Readonly<Record<K, Cell>>>[] {
  return Object.entries<ColumnKind>(kinds).map(([field, kind]) => ({
    name: columnName(field, kind),
    kind,
    read: (record) => record[field as K],
  }));
}

// What an instant is counted in differs by format: `endedUnixMs` is `ended_time`.
function columnName(field: string, kind: ColumnKind): string {
  if (kind !== 'instant') return snakeCase(field);
  const what = field.replace(/UnixMs$/, '');
  return what === 'time' ? what : `${snakeCase(what)}_time`;
}
