import fs from 'node:fs';
import path from 'node:path';
import { byteChunks } from '../exporter/file/chunks.ts';
import { perfettoTrace } from '../exporter/file/perfetto/perfetto-trace.ts';
import { orNull } from '../model/or-null.ts';
import type { CommandIo, ParsedArguments } from './command.ts';
import { UsageError } from './command.ts';
import { exportSeparately, exportStream, type StreamFormat } from './export-stream.ts';
import { outputOption } from './parse-arguments.ts';

/** `--to perfetto`: a trace of each recording. */
export async function exportPerfetto(parsed: ParsedArguments, io: CommandIo): Promise<boolean> {
  const out = outputOption(parsed);
  const files = parsed.positionals;
  if (out !== null && isFolder(out)) {
    return await exportSeparately(format, { parsed, io, paths: pathsIn(out, files) });
  }
  if (files.length > 1) {
    throw new UsageError('--to perfetto makes a trace of each recording: --out takes a FOLDER');
  }
  if (out === null && io.stdout.isTTY === true) {
    throw new UsageError(
      '--to perfetto writes bytes, which are not for a terminal: give --out PATH',
    );
  }
  return await exportStream(format, parsed, io);
}

const format: StreamFormat = (recording, { range }) => byteChunks(perfettoTrace(recording, range));

// What cannot be looked at is told when it is written to.
function isFolder(out: string): boolean {
  return out.endsWith('/') || (orNull(() => fs.statSync(out))?.isDirectory() ?? false);
}

/** `task.db` as `FOLDER/task.pftrace`; UsageError for two of the same name. */
function pathsIn(folder: string, files: readonly string[]): ReadonlyMap<string, string> {
  const paths = new Map(
    files.map((file) => [file, path.join(folder, `${path.parse(file).name}.pftrace`)]),
  );
  const taken = new Set(paths.values());
  if (taken.size < paths.size) {
    throw new UsageError(
      'two of the recordings have the same name, and their traces would have too',
    );
  }
  return paths;
}
