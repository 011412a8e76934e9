import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { launchLine } from '../../../src/host/process/launch-line.ts';
import { temporaryFolder } from '../../support/headroom-cli.ts';

test('nothing of a command is ever read as shell', () => {
  using folder = temporaryFolder();
  const args = ['$(id)', '`id`', "a'b", '"', ';exit 1', '--', '-n', '', ' x  y ', '*', '\n'];
  const [program, ...rest] = launchLine({
    procsFile: null,
    privateTmp: null,
    cwd: folder.path,
    user: null,
    command: process.execPath,
    args: [
      '-e',
      'console.log(JSON.stringify([process.cwd(), ...process.argv.slice(1)]))',
      '--',
      ...args,
    ],
  });
  const output = execFileSync(program, rest, { encoding: 'utf8' });
  expect(JSON.parse(output)).toEqual([folder.path, ...args]);
});
