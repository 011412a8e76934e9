import type { SchemaElement } from 'hyparquet';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import type { Recording } from '../../../model/recording.ts';
import type { TimeRange } from '../../../model/time-range.ts';
import { headroomVersion } from '../../../model/version.ts';
import { inGroups } from '../../in-groups.ts';
import { exactInteger } from '../tables/exact-integer.ts';
import type { Cell, Column, Table } from '../tables/table.ts';
import { originKey } from './origin.ts';

// A row group is in memory until it is written. Engines like large ones; at 60 columns this is 3000
// rows, or the samples of the better part of an hour.
const cellsPerGroup = 200_000;

const sessionColumn: Column = { name: 'session_id', kind: 'text' };

/**
 * A table of a recording as a Parquet file (parquet.apache.org/docs/file-format), in parts of one
 * row group each; a part is only good until the next one is asked for. Integers are INT64, lists LIST of
 * INT64, reals DOUBLE, instants TIMESTAMP(ms, UTC), and what is unknown is null. `origin` goes into the
 * footer.
 */
export function* parquetParts(
  table: Table,
  recording: Recording,
  { range = {}, origin }: { range?: TimeRange; origin: string },
): Generator<Uint8Array> {
  const columns = [sessionColumn, ...table.columns];
  const writer = new ByteWriter();
  const parquet = new ParquetWriter({
    writer,
    schema: schemaOf(columns),
    createdBy: `headroom version ${headroomVersion}`,
    kvMetadata: [{ key: originKey, value: origin }],
  });
  const { id } = recording.facts;
  const rowsPerGroup = Math.ceil(cellsPerGroup / columns.length);
  for (const rows of inGroups(table.rows(recording, range), rowsPerGroup)) {
    parquet.write({
      columnData: columns.map((column, index) => ({
        name: column.name,
        data: rows.map((row) => parquetValue(index === 0 ? id : (row[index - 1] ?? null), column)),
        // Times and positions go up in even steps, and differences of these are small.
        ...(isSteady(column) ? { encoding: 'DELTA_BINARY_PACKED' as const } : {}),
      })),
      rowGroupSize: rowsPerGroup,
    });
    yield* taken(writer);
  }
  parquet.finish();
  yield* taken(writer);
}

// The offset goes on counting; only the bytes are taken out.
function* taken(writer: ByteWriter): Generator<Uint8Array> {
  if (writer.index === 0) return;
  yield writer.getBytes();
  writer.index = 0;
}

function schemaOf(columns: readonly Column[]): SchemaElement[] {
  return [{ name: 'headroom', num_children: columns.length }, ...columns.flatMap(elementsOf)];
}

function elementsOf(column: Column): SchemaElement[] {
  const element = { name: column.name, ...elementOf(column) };
  if (column.kind !== 'integers') return [element];
  // The three levels that the format asks for (LogicalTypes.md, "Lists").
  return [
    element,
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    { name: 'element', repetition_type: 'REQUIRED', type: 'INT64' },
  ];
}

function elementOf({ kind }: Column): Omit<SchemaElement, 'name'> {
  const repetition_type = 'OPTIONAL';
  switch (kind) {
    case 'integers':
      return {
        converted_type: 'LIST',
        logical_type: { type: 'LIST' },
        num_children: 1,
        repetition_type,
      };
    case 'integer':
      return { type: 'INT64', repetition_type };
    case 'real':
      return { type: 'DOUBLE', repetition_type };
    case 'boolean':
      return { type: 'BOOLEAN', repetition_type };
    case 'text':
      return {
        type: 'BYTE_ARRAY',
        converted_type: 'UTF8',
        logical_type: { type: 'STRING' },
        repetition_type,
      };
    case 'instant':
      return {
        type: 'INT64',
        converted_type: 'TIMESTAMP_MILLIS',
        logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
        repetition_type,
      };
  }
}

function parquetValue(value: Cell, { name, kind }: Column): Cell | bigint[] {
  if (typeof value === 'object') return value?.map((item) => exactInteger(item, name)) ?? null;
  const isWhole = kind === 'integer' || kind === 'instant';
  return isWhole && (typeof value === 'number' || typeof value === 'bigint')
    ? exactInteger(value, name)
    : value;
}

function isSteady({ name, kind }: Column): boolean {
  return kind === 'instant' || name === 'sequence' || name === 'monotonic_ms';
}
