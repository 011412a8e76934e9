import { once } from 'node:events';
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
import { OutputFile } from './output-file.ts';
import { outputOption, switchOption } from './parse-arguments.ts';
import { rangeOption } from './range-option.ts';

/** A format that is one stream of bytes, whatever the number of recordings. */
export type StreamFormat = (
  recording: Recording,
  /** `isFirst`: nothing is in the output yet. */
  options: { range: TimeRange; isFirst: boolean },
) => Iterable<string>;

/** Writes recordings one after the other to stdout or `--out`; of how many all was written. */
export async function exportStream(
  format: StreamFormat,
  parsed: ParsedArguments,
  io: CommandIo,
): Promise<number> {
  const files = parsed.positionals;
  const out = outputOption(parsed);
  const progress = new FileExportProgress(io, files.length);
  const toSink = (sink: Sink) =>
    exportEach(files, io, async (file) => {
      progress.beginFile(file);
      try {
        using recording = openRecording(file);
        const range = rangeOption(parsed, recording, 'until');
        const parts = format(recording, { range, isFirst: sink.writtenBytes === 0 });
        return await copy(parts, sink, { signal: io.signal, progress });
      } finally {
        progress.end();
      }
    });
  if (out === null) return await toSink(stdoutSink(io));
  const mayReplace = switchOption(parsed, 'force');
  await using output = await OutputFile.create(out, files, { mayReplace });
  const whole = await toSink(output);
  // Asked to end, it is half of what was asked for.
  if (whole > 0 && !io.signal.aborted) {
    await output.finish();
    const size = formatBytes(output.writtenBytes);
    io.stderr.write(`${printable(out)}: ${formatCount(whole, 'recording')}, ${size}\n`);
  }
  return whole;
}

interface Sink {
  readonly writtenBytes: number;
  write(part: string): Promise<void>;
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
async function copy(
  parts: Iterable<string>,
  sink: Sink,
  { signal, progress }: { signal: AbortSignal; progress: FileExportProgress },
): Promise<boolean> {
  const startBytes = sink.writtenBytes;
  try {
    for (const chunk of chunks(parts)) {
      await sink.write(chunk);
      progress.update(sink.writtenBytes);
      // Else a signal would be heard only at the end: reading and writing may never wait.
      await setImmediate();
      if (signal.aborted) return false;
    }
  } catch (error) {
    if (error instanceof HeadroomError) await sink.cutBack?.(startBytes);
    throw error;
  }
  return true;
}

// Some hundred lines at a time: a write for each would take ten times as long.
const chunkCharacters = 64 * 1024;

function* chunks(parts: Iterable<string>): Generator<string> {
  let chunk = '';
  for (const part of parts) {
    chunk += part;
    if (chunk.length < chunkCharacters) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk !== '') yield chunk;
}
