import { once } from 'node:events';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { formatCount } from '../analysis/format.ts';
import { HeadroomError } from '../model/errors.ts';
import { formatBytes } from '../model/format-bytes.ts';
import type { Recording } from '../model/recording.ts';
import type { TimeRange } from '../model/time-range.ts';
import { printable } from '../report/printable.ts';
import { openRecording } from '../store/reader.ts';
import type { CommandIo, ParsedArguments } from './command.ts';
import { exportEach } from './export-each.ts';
import { FileExportProgress } from './export-progress.ts';
import { memoryKeeper } from './memory-keeper.ts';
import { OutputFile } from './output-file.ts';
import { OutputFolders } from './output-folders.ts';
import { outputOption, switchOption } from './parse-arguments.ts';
import { rangeOption } from './range-option.ts';

type Chunk = string | Uint8Array;

/** A format that is one stream, in pieces of a size that is worth a write (chunks.ts). */
export type StreamFormat = (
  recording: Recording,
  /** `isFirst`: nothing is in the output yet. */
  options: { range: TimeRange; isFirst: boolean },
) => Iterable<Chunk>;

/** Writes recordings one after the other to stdout or `--out`; whether all was written. */
export async function exportStream(
  format: StreamFormat,
  parsed: ParsedArguments,
  io: CommandIo,
): Promise<boolean> {
  const files = parsed.positionals;
  const out = outputOption(parsed);
  const progress = new FileExportProgress(io, files.length);
  const toSink = (sink: Sink) =>
    exportEach(files, io, (file) => copyFile(file, { format, sink, parsed, io, progress }));
  if (out === null) return (await toSink(stdoutSink(io))).isWhole;
  const mayReplace = switchOption(parsed, 'force');
  await using output = await OutputFile.create(out, files, { mayReplace });
  const { count, isWhole } = await toSink(output);
  // Asked to end, it is half of what was asked for.
  if (count > 0 && !io.signal.aborted) {
    await output.finish();
    tellWritten(io, out, { count, bytes: output.writtenBytes });
  }
  return isWhole;
}

/** Writes each recording to a file of its own; whether all was written. */
export async function exportSeparately(
  format: StreamFormat,
  request: { parsed: ParsedArguments; io: CommandIo; paths: ReadonlyMap<string, string> },
): Promise<boolean> {
  const { parsed, io, paths } = request;
  const files = parsed.positionals;
  const mayReplace = switchOption(parsed, 'force');
  const progress = new FileExportProgress(io, files.length);
  using folders = new OutputFolders();
  const { isWhole } = await exportEach(files, io, async (file) => {
    const out = paths.get(file) ?? file;
    folders.make(path.dirname(out));
    await using output = await OutputFile.create(out, files, { mayReplace });
    if (!(await copyFile(file, { format, sink: output, parsed, io, progress }))) return false;
    await output.finish();
    tellWritten(io, out, { count: 1, bytes: output.writtenBytes });
    return true;
  });
  return isWhole;
}

function tellWritten(
  { stderr }: Pick<CommandIo, 'stderr'>,
  out: string,
  { count, bytes }: { count: number; bytes: number },
): void {
  stderr.write(`${printable(out)}: ${formatCount(count, 'recording')}, ${formatBytes(bytes)}\n`);
}

interface Sink {
  readonly writtenBytes: number;
  write(part: Chunk): Promise<void>;
  /** Takes back what was written behind this length; where there is none it stays. */
  cutBack?(bytes: number): Promise<void>;
}

function stdoutSink({ stdout }: Pick<CommandIo, 'stdout'>): Sink {
  let writtenBytes = 0;
  return {
    get writtenBytes() {
      return writtenBytes;
    },
    async write(part) {
      writtenBytes += Buffer.byteLength(part);
      if (!stdout.write(part)) await once(stdout, 'drain');
    },
  };
}

/** False when it was asked to end. A recording that cannot be read to its end leaves nothing behind. */
async function copyFile(
  file: string,
  {
    format,
    sink,
    parsed,
    io,
    progress,
  }: {
    format: StreamFormat;
    sink: Sink;
    parsed: ParsedArguments;
    io: CommandIo;
    progress: FileExportProgress;
  },
): Promise<boolean> {
  const startBytes = sink.writtenBytes;
  const keepMemory = memoryKeeper();
  progress.beginFile(file);
  try {
    using recording = openRecording(file);
    const range = rangeOption(parsed, recording, 'until');
    for (const chunk of format(recording, { range, isFirst: startBytes === 0 })) {
      await sink.write(chunk);
      progress.update(sink.writtenBytes);
      keepMemory();
      // Else a signal would be heard only at the end: reading and writing may never wait.
      await setImmediate();
      if (io.signal.aborted) return false;
    }
    return true;
  } catch (error) {
    if (error instanceof HeadroomError) await sink.cutBack?.(startBytes);
    throw error;
  } finally {
    progress.end();
  }
}
