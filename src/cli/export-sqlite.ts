import fs from 'node:fs';
import { formatBytes } from '../model/format-bytes.ts';
import { printable } from '../report/printable.ts';
import { shellQuote } from '../report/shell-quote.ts';
import { refuseDamaged } from '../store/refuse-damaged.ts';
import { snapshot } from '../store/snapshot.ts';
import type { CommandIo, ParsedArguments } from './command.ts';
import { UsageError } from './command.ts';
import { makeDatabase } from './output-database.ts';
import { oneFile, outputOption } from './parse-arguments.ts';

/**
 * Copies a recording, which may be being recorded, into one file that is whole by itself. True.
 */
export async function exportSqlite(parsed: ParsedArguments, io: CommandIo): Promise<boolean> {
  const file = oneFile(parsed);
  const out = outputOption(parsed);
  if (out === null) throw new UsageError('--to sqlite writes a file: give its name with --out');
  // Its copy would get checksums of what is damaged.
  refuseDamaged(file);
  makeDatabase(out, (temporary) => snapshot(file, temporary));
  const size = formatBytes(fs.statSync(out).size);
  io.stderr.write(
    `${printable(out)}: ${size}, with checksums; to check it where it arrives: headroom verify ${shellQuote(out)}\n`,
  );
  return true;
}
