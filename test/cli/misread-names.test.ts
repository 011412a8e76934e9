import fs from 'node:fs';
import { expect, test } from 'vitest';
import { size } from '../../src/analysis/sizing/size.ts';
import { findRecordings } from '../../src/cli/find-recordings.ts';
import { importRecordings } from '../../src/cli/fleet/import-recordings.ts';
import { outputOption, parseArguments } from '../../src/cli/parse-arguments.ts';
import { recordCommand } from '../../src/cli/record.ts';
import { recordOptions } from '../../src/cli/record-options.ts';
import { reportCommand } from '../../src/cli/report.ts';
import { listedRecordings } from '../../src/exporter/prometheus/listed-recordings.ts';
import { WatchedRecordings } from '../../src/exporter/prometheus/watched-recordings.ts';
import { FleetData } from '../../src/store/fleet/fleet-data.ts';
import { temporaryFolder } from '../support/headroom-cli.ts';

// Latin-1 for é, which is no UTF-8; U+FFFD is what every reader of text has in its place.
const latin1 = [0x63, 0x61, 0x66, 0xe9];
const shown = 'caf\ufffd';
const why = 'its name is not UTF-8, or no such';

test('a recording whose name is not UTF-8 is told wherever a folder is searched', async () => {
  using folder = temporaryFolder();
  const recordings = folder.file('recordings');
  fs.mkdirSync(recordings);
  fs.writeFileSync(misread(recordings, '.db'), 'whatever it is');
  const file = `${recordings}/${shown}.db`;
  const told = { code: 'FILE_NOT_FOUND', reason: `${file}: ${why} file` };

  const problems: unknown[] = [];
  const watched = new WatchedRecordings(recordings, {
    onProblem: ({ code, message }) => problems.push({ code, reason: message }),
  });
  expect((await watched.read()).files).toMatchObject([{ path: file, state: 'unreadable' }]);
  expect(problems).toEqual([told]);
  expect(listedRecordings(recordings)).toMatchObject([{ name: `${shown}.db` }]);

  expect(size(findRecordings([recordings]).files).skipped).toEqual([{ file, ...told }]);

  fs.mkdirSync(misread(recordings, ''));
  const { files, unreadable } = findRecordings([recordings]);
  expect(unreadable).toMatchObject([
    { path: `${recordings}/${shown}`, error: { code: 'FILE_NOT_FOUND' } },
  ]);
  using data = new FleetData(folder.file('fleet'), 'create');
  const options = { again: false, signal: new AbortController().signal, onFile: () => undefined };
  expect((await importRecordings(files, data, options)).leftOut).toEqual([{ file, ...told }]);
});

test('one that has U+FFFD in its name and is there is a file like any other', () => {
  using folder = temporaryFolder();
  fs.writeFileSync(folder.file(`${shown}.db`), 'not a recording');
  const [listed] = listedRecordings(folder.path);
  expect(listed).toMatchObject({ name: `${shown}.db`, bytes: 15 });
});

test('nothing is written to a name that lost its bytes', () => {
  using folder = temporaryFolder();
  const parsed = (out: string) => parseArguments(reportCommand, ['a.db', '--out', out]);
  const lost = folder.file(`${shown}.html`);
  const told = { code: 'FILE_NOT_FOUND', message: `${lost}: ${why} file` };
  expect(() => outputOption(parsed(lost))).toThrow(expect.objectContaining(told));
  for (const given of [{ args: ['--out', lost] }, { args: [], env: { HEADROOM_OUT: lost } }]) {
    const recorded = parseArguments(recordCommand, given.args);
    const read = () => recordOptions(recorded, given.env ?? {});
    expect(read).toThrow(expect.objectContaining(told));
  }
  // What has the name is written to, and so is what is in it.
  fs.mkdirSync(folder.file(shown));
  for (const out of [folder.file(shown), folder.file(`${shown}/a.html`), folder.file('b')]) {
    expect(outputOption(parsed(out))).toBe(out);
  }
  expect(() => outputOption(parsed(folder.file(`${shown}/${shown}`)))).toThrow(why);
});

function misread(folder: string, ending: string): Buffer {
  return Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(latin1), Buffer.from(ending)]);
}
