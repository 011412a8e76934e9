import path from 'node:path';
import { formatCount } from '../../analysis/format.ts';
import { leftOutWords } from '../../report/left-out-words.ts';
import { printable } from '../../report/printable.ts';
import { FleetData } from '../../store/fleet/fleet-data.ts';
import type { Command, CommandIo } from '../command.ts';
import { UsageError } from '../command.ts';
import { fileProgress } from '../file-progress.ts';
import { findRecordings } from '../find-recordings.ts';
import { switchOption } from '../parse-arguments.ts';
import { dataFolder, dataOption } from './data-option.ts';
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
    const { files, unreadable } = findRecordings(parsed.positionals);
    const wrong = unreadable.find((one) => parsed.positionals.includes(one.path));
    if (wrong !== undefined) throw wrong.error;
    using data = new FleetData(folder, 'create');
    const progress = fileProgress(io);
    const again = switchOption(parsed, 'again');
    const paths = files.map((file) => path.resolve(file));
    const result = await importRecordings(paths, data, {
      again,
      signal: io.signal,
      onFile: progress.onFile,
    });
    progress.end();
    for (const { path: file, error } of unreadable) {
      result.leftOut.push({ file, code: error.code, reason: error.message });
    }
    // As of a fleet that begins: whoever calls this every hour has made no mistake.
    if (files.length === 0) {
      io.stderr.write('headroom fleet import: there is no recording (.db) in these folders\n');
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
  const became = [formatCount(files, 'file'), told.join(', ')].filter((part) => part !== '');
  return `${became.join(': ')}\n${formatCount(sessions, 'session')} in ${printable(path)}\n`;
}
