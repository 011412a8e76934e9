import { csvHeader, csvRecords } from '../exporter/file/csv.ts';
import { ndjsonLines } from '../exporter/file/ndjson.ts';
import { sampleTable } from '../exporter/file/tables/sample-table.ts';
import type { CommandIo, ParsedArguments } from './command.ts';
import { exportStream } from './export-stream.ts';
import { tableOption } from './table-option.ts';

/** `--to ndjson`. */
export async function exportNdjson(parsed: ParsedArguments, io: CommandIo): Promise<number> {
  return await exportStream((recording, { range }) => ndjsonLines(recording, range), parsed, io);
}

/** `--to csv`: one table, of all recordings. */
export async function exportCsv(parsed: ParsedArguments, io: CommandIo): Promise<number> {
  const table = tableOption(parsed) ?? sampleTable;
  return await exportStream(
    function* (recording, { range, isFirst }) {
      if (isFirst) yield csvHeader(table);
      yield* csvRecords(table, recording, range);
    },
    parsed,
    io,
  );
}
