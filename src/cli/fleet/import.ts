import path from 'node:path';
import { formatCount } from '../../analysis/format.ts';
import { leftOutWords } from '../../report/left-out-words.ts';
import { printable } from '../../report/printable.ts';
import { FleetData, fleetFileName } from '../../store/fleet/fleet-data.ts';
import type { Command, CommandIo } from '../command.ts';
import { UsageError } from '../command.ts';
import { fileProgress } from '../file-progress.ts';
import { switchOption } from '../parse-arguments.ts';
import { dataFolder, dataOption } from './data-option.ts';
import { findRecordings } from './find-recordings.ts';
import { type ImportResult, importRecordings } from './import-recordings.ts';

export const fleetImportCommand: Command = {
  name: 'fleet import',
  summary:
    'Brings recordings into the data set of a fleet. What is in it already is passed over, so that it can be run again and again, also after it was killed.',
  usage: ['headroom fleet import DIR… [OPTIONS]'],
  options: {
    data: dataOption,
    again: { type: 'boolean', help: 'look again at files that have not changed' },
    json: { type: 'boolean', help: 'what became of the files, as JSON' },
  },
  examples: [
    'headroom fleet import recordings',
    'headroom fleet import /var/lib/headroom archive/2026-11 --data fleet-november',
    'headroom fleet import recordings --json | jq .leftOut',
  ],
  async run(parsed, io) {
    if (parsed.positionals.length === 0) {
      throw new UsageError('which recordings? give folders that have them');
    }
    const folder = dataFolder(parsed);
    const dataFile = path.join(folder, fleetFileName);
    const { files, unreadable } = findRecordings(parsed.positionals, dataFile);
    if (files.length === 0) {
      if (unreadable[0] !== undefined) throw unreadable[0].error;
      throw new UsageError('there is no .db file in these folders');
    }
    using data = new FleetData(folder, 'create');
    const progress = fileProgress(io);
    const again = switchOption(parsed, 'again');
    const result = await importRecordings(files, data, {
      again,
      signal: io.signal,
      onFile: progress.onFile,
    });
    progress.end();
    for (const { folder: file, error } of unreadable) {
      result.leftOut.push({ file, code: error.code, reason: error.message });
    }
    tellLeftOut(result, io);
    const sessions = data.sessionCount();
    if (switchOption(parsed, 'json')) {
      const { files: count, outcomes, leftOut, wasInterrupted } = result;
      const json = { schemaVersion: 1, data: data.path, sessions, files: count, outcomes };
      io.stdout.write(`${JSON.stringify({ ...json, leftOut, wasInterrupted }, null, 2)}\n`);
    } else {
      io.stdout.write(words(result, { sessions, path: data.path }));
    }
    if (!result.wasInterrupted) return sessions === 0 ? 1 : 0;
    io.stderr.write('headroom fleet import: asked to end; run it again to go on\n');
    return 1;
  },
};

function tellLeftOut({ leftOut }: ImportResult, { stderr }: CommandIo): void {
  for (const file of leftOut) {
    const suffix = file.code === null ? '' : ` [${file.code}]`;
    stderr.write(`headroom fleet import: left out: ${leftOutWords(file)}${suffix}\n`);
  }
}

function words(
  { files, outcomes, leftOut }: ImportResult,
  { sessions, path }: { sessions: number; path: string },
): string {
  const { imported, replaced, duplicate, shorter, unchanged } = outcomes;
  const parts: [number, string][] = [
    [imported, 'new'],
    [replaced, 'in place of a shorter recording of the same session'],
    [unchanged, 'known already'],
    [duplicate, duplicate === 1 ? 'a copy' : 'copies'],
    [shorter, 'shorter than a recording of the same session'],
    [leftOut.length, 'left out'],
  ];
  const told = parts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  return `${formatCount(files, 'file')}: ${told.join(', ')}\n${formatCount(sessions, 'session')} in ${printable(path)}\n`;
}
