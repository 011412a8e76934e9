import fs from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { formatCount } from '../analysis/format.ts';
import { originOf, readOrigin } from '../exporter/file/parquet/origin.ts';
import { parquetParts } from '../exporter/file/parquet/parquet.ts';
import { partitionPath } from '../exporter/file/parquet/partition-path.ts';
import type { Table } from '../exporter/file/tables/table.ts';
import { tables } from '../exporter/file/tables/tables.ts';
import { HeadroomError } from '../model/errors.ts';
import { formatBytes } from '../model/format-bytes.ts';
import type { Recording } from '../model/recording.ts';
import type { TimeRange } from '../model/time-range.ts';
import { printable } from '../report/printable.ts';
import { openRecording } from '../store/reader.ts';
import type { CommandIo, ParsedArguments } from './command.ts';
import { UsageError } from './command.ts';
import { exportEach } from './export-each.ts';
import { FileExportProgress } from './export-progress.ts';
import { memoryKeeper } from './memory-keeper.ts';
import { OutputFile } from './output-file.ts';
import { OutputFolders } from './output-folders.ts';
import { outputOption, switchOption } from './parse-arguments.ts';
import { rangeOption } from './range-option.ts';
import { tableOption } from './table-option.ts';

/** `--to parquet`: a folder of partitions; of how many recordings all tables are in it. */
export async function exportParquet(parsed: ParsedArguments, io: CommandIo): Promise<boolean> {
  const folder = outputOption(parsed);
  if (folder === null) throw new UsageError('--to parquet needs --out FOLDER');
  const table = tableOption(parsed);
  using folders = new OutputFolders();
  const dataSet = new DataSet(folder, {
    folders,
    inputs: parsed.positionals,
    mayReplace: switchOption(parsed, 'force'),
    signal: io.signal,
  });
  const progress = new FileExportProgress(io, parsed.positionals.length);
  const { isWhole } = await exportEach(parsed.positionals, io, async (file) => {
    progress.beginFile(file);
    try {
      using recording = openRecording(file);
      const range = rangeOption(parsed, recording, 'until');
      const wanted = table === null ? tables : [table];
      const origin = originOf(recording, range);
      return await dataSet.add(wanted, { recording, range, origin, progress });
    } finally {
      progress.end();
    }
  });
  io.stderr.write(`${printable(folder)}: ${dataSet.told()}\n`);
  return isWhole;
}

interface Source {
  recording: Recording;
  range: TimeRange;
  /** What the footer says of it (origin.ts). */
  origin: string;
  progress: FileExportProgress;
}

interface DataSetOptions {
  folders: OutputFolders;
  inputs: readonly string[];
  mayReplace: boolean;
  signal: AbortSignal;
}

/** What one run writes into a folder of partitions. */
class DataSet {
  readonly #folder: string;
  readonly #options: DataSetOptions;
  readonly #keepMemory = memoryKeeper();
  #writtenCount = 0;
  #writtenBytes = 0;
  #presentCount = 0;

  constructor(folder: string, options: DataSetOptions) {
    this.#folder = folder;
    this.#options = options;
  }

  /**
   * Writes tables of a recording, but for those that are there as they would be written. They get
   * their names together: one that cannot be read to its end has none. False when asked to end.
   */
  async add(tables: readonly Table[], source: Source): Promise<boolean> {
    const outputs: OutputFile[] = [];
    try {
      for (const table of tables) {
        const output = await this.#open(table, source);
        if (output === null) continue;
        outputs.push(output);
        await this.#write(table, source, output);
        if (this.#options.signal.aborted) return false;
      }
      for (const output of outputs) {
        await output.finish();
        this.#writtenCount++;
      }
      return true;
    } finally {
      for (const output of outputs) await output[Symbol.asyncDispose]();
    }
  }

  /** Null where the table is there. */
  async #open(table: Table, { recording, origin }: Source): Promise<OutputFile | null> {
    const file = path.join(this.#folder, partitionPath(table.name, recording.facts));
    const { folders, inputs, mayReplace } = this.#options;
    if (!mayReplace && fs.existsSync(file)) {
      const present = await readOrigin(file);
      if (present === null) throw notOurs(file);
      if (present === origin) {
        this.#presentCount++;
        return null;
      }
    }
    folders.make(path.dirname(file));
    return await OutputFile.create(file, inputs);
  }

  async #write(table: Table, source: Source, output: OutputFile): Promise<void> {
    for (const part of parquetParts(table, source.recording, source)) {
      await output.write(part);
      this.#writtenBytes += part.byteLength;
      source.progress.update(this.#writtenBytes);
      this.#keepMemory();
      // Else a signal would be heard only at the end: reading and writing may never wait.
      await setImmediate();
      if (this.#options.signal.aborted) return;
    }
  }

  told(): string {
    const written = `${formatCount(this.#writtenCount, 'file')}, ${formatBytes(this.#writtenBytes)}`;
    return this.#presentCount === 0
      ? written
      : `${written}; ${this.#presentCount} were there already`;
  }
}

function notOurs(file: string): HeadroomError {
  return new HeadroomError('FILE_EXISTS', `${file}: exists and is no table of a recording`, {
    hint: 'Choose another folder, or add --force to replace it.',
  });
}
