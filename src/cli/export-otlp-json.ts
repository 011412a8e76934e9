import { textChunks } from '../exporter/file/chunks.ts';
import { otlpJsonLines } from '../exporter/file/otlp-json.ts';
import { addCounts, type DropCounts, sumOfCounts } from '../exporter/otlp/batch.ts';
import type { CommandIo, ParsedArguments } from './command.ts';
import { exportStream, type StreamFormat } from './export-stream.ts';
import { switchOption } from './parse-arguments.ts';

/** `--to otlp-json`: the requests of an export, as lines of a file. */
export async function exportOtlpJson(parsed: ParsedArguments, io: CommandIo): Promise<number> {
  const dropped: DropCounts = {};
  const format: StreamFormat = (recording, { range }) =>
    textChunks(
      otlpJsonLines(recording, {
        range,
        exponential: switchOption(parsed, 'exponential-histograms'),
        onDropped: (counts) => addCounts(dropped, counts),
      }),
    );
  const whole = await exportStream(format, parsed, io);
  const count = sumOfCounts(dropped);
  if (count > 0) io.stderr.write(`left out ${count} points that are no exact number\n`);
  return whole;
}
