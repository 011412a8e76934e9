import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { ndjsonLines } from '../exporter/file/ndjson.ts';
import { openRecording } from '../store/reader.ts';
import type { CommandIo } from './command.ts';
import type { OutputFile } from './output-file.ts';

/** Writes one recording after the other to stdout, as fast as it is read; false when asked to end. */
export function ndjsonToStdout({
  stdout,
  signal,
}: Pick<CommandIo, 'stdout' | 'signal'>): (file: string) => Promise<boolean> {
  return (file) =>
    copy(file, signal, async (chunk) => {
      if (!stdout.write(chunk)) await once(stdout, 'drain');
    });
}

/** Writes one recording after the other to a file; false when asked to end. */
export function ndjsonToFile(
  output: OutputFile,
  { signal }: Pick<CommandIo, 'signal'>,
): (file: string) => Promise<boolean> {
  return (file) => copy(file, signal, (chunk) => output.write(chunk));
}

async function copy(
  file: string,
  signal: AbortSignal,
  write: (chunk: string) => Promise<void>,
): Promise<boolean> {
  using recording = openRecording(file);
  for (const chunk of chunks(ndjsonLines(recording))) {
    await write(chunk);
    // Else a signal would be heard only at the end: reading and writing may never wait.
    await setImmediate();
    if (signal.aborted) return false;
  }
  return true;
}

// Some thousand lines at a time: a write for each would take ten times as long.
const chunkCharacters = 64 * 1024;

function* chunks(lines: Iterable<string>): Generator<string> {
  let chunk = '';
  for (const line of lines) {
    chunk += line;
    if (chunk.length < chunkCharacters) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk !== '') yield chunk;
}
