import { textChunks } from '../exporter/file/chunks.ts';
import { csvHeader, csvRecords } from '../exporter/file/csv.ts';
import { ndjsonLines } from '../exporter/file/ndjson.ts';
import { sampleTable } from '../exporter/file/tables/sample-table.ts';
import type { CommandIo, ParsedArguments } from './command.ts';
import { exportStream, type StreamFormat } from './export-stream.ts';
import { tableOption } from './table-option.ts';

/** `--to ndjson`. */
export async function exportNdjson(parsed: ParsedArguments, io: CommandIo): Promise<boolean> {
  const format: StreamFormat = (recording, { range }) => textChunks(ndjsonLines(recording, range));
  return await exportStream(format, parsed, io);
}

/** `--to csv`: one table, of all recordings. */
export async function exportCsv(parsed: ParsedArguments, io: CommandIo): Promise<boolean> {
  const table = tableOption(parsed) ?? sampleTable;
  const format: StreamFormat = function* (recording, { range, isFirst }) {
    if (isFirst) yield csvHeader(table);
    yield* textChunks(csvRecords(table, recording, range));
  };
  return await exportStream(format, parsed, io);
}
