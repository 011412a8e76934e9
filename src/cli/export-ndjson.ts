import { once } from 'node:events';
import fs from 'node:fs';
import { ndjsonLines } from '../exporter/file/ndjson.ts';
import { HeadroomError } from '../model/errors.ts';
import { openRecording } from '../store/reader.ts';
import type { CommandIo, ParsedArguments } from './command.ts';
import { textOption } from './parse-arguments.ts';

/** Writes files one after the other to `--out` or stdout, as fast as the reader takes them. */
export function exportNdjson(
  parsed: ParsedArguments,
  io: CommandIo,
): (file: string) => Promise<boolean> {
  const out = textOption(parsed, 'out');
  let isFirst = true;
  return async (file) => {
    using recording = openRecording(file);
    if (out === null) {
      return await writeAll(ndjsonLines(recording), io.stdout, io.signal);
    }
    // Only once the input is known to be readable is the output begun.
    const stream = await openOutput(out, isFirst ? 'w' : 'a');
    isFirst = false;
    const isWhole = await writeAll(ndjsonLines(recording), stream, io.signal);
    stream.end();
    await once(stream, 'close');
    return isWhole;
  };
}

async function openOutput(path: string, flags: string): Promise<fs.WriteStream> {
  const stream = fs.createWriteStream(path, { flags });
  try {
    await once(stream, 'open');
  } catch (error) {
    throw new HeadroomError('FILE_NOT_WRITABLE', `--out ${path} cannot be written`, {
      cause: error,
      hint: 'Check that the folder exists and may be written to.',
    });
  }
  return stream;
}

// Some thousand lines at a time: a write for each would take ten times as long.
const chunkCharacters = 64 * 1024;

/** False when it was asked to end before the end. */
async function writeAll(
  lines: Iterable<string>,
  stream: NodeJS.WritableStream,
  signal: AbortSignal,
): Promise<boolean> {
  let chunk = '';
  for (const line of lines) {
    chunk += line;
    if (chunk.length < chunkCharacters) continue;
    if (!stream.write(chunk)) await once(stream, 'drain');
    chunk = '';
    if (signal.aborted) return false;
  }
  stream.write(chunk);
  return true;
}
