import { textChunks } from '../exporter/file/chunks.ts';
import { otlpJsonLines } from '../exporter/file/otlp-json.ts';
import { addCounts, type DropCounts, sumOfCounts } from '../exporter/otlp/batch.ts';
import { resourceSettings } from '../exporter/otlp/signal-settings.ts';
import { printable } from '../report/printable.ts';
import type { CommandIo, ParsedArguments } from './command.ts';
import { exportStream, type StreamFormat } from './export-stream.ts';
import { switchOption } from './parse-arguments.ts';
import { perProcessOption } from './per-process-option.ts';

/** `--to otlp-json`: the requests of an export, as lines of a file. */
export async function exportOtlpJson(parsed: ParsedArguments, io: CommandIo): Promise<boolean> {
  const dropped: DropCounts = {};
  const messages = new Set<string>();
  const note = (text: string): void => void messages.add(text);
  const resource = resourceSettings({ env: io.env, warn: note });
  const perProcess = perProcessOption(parsed);
  const format: StreamFormat = (recording, { range }) =>
    textChunks(
      otlpJsonLines(recording, {
        range,
        resource,
        exponential: switchOption(parsed, 'exponential-histograms'),
        perProcess,
        onNotice: note,
        onDropped: (counts) => addCounts(dropped, counts),
      }),
    );
  const isWhole = await exportStream(format, parsed, io);
  for (const message of messages) io.stderr.write(`${printable(message)}\n`);
  const count = sumOfCounts(dropped);
  if (count > 0) io.stderr.write(`left out ${count} points that are no exact number\n`);
  return isWhole;
}
