import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import {
  locateScript,
  placeTaken,
  prepareScript,
  removeScript,
} from '../../src/attach/session-scripts.ts';
import { temporaryFolder } from '../support/headroom-cli.ts';

const folders: { [Symbol.dispose](): void }[] = [];

function place(name: string) {
  const folder = temporaryFolder();
  folders.push(folder);
  const inside = folder.file(name);
  fs.mkdirSync(inside);
  return { inside, headroom: `${inside}/headroom` };
}

const run = (script: string, tmp: string, ...args: string[]) =>
  spawnSync('sh', ['-c', script, 'sh', ...args], {
    env: { ...process.env, TMPDIR: tmp },
    encoding: 'utf8',
  });

/** With something in it, and this mode whatever the umask. */
function makeFolder(folder: string, mode: number): void {
  fs.mkdirSync(folder);
  fs.writeFileSync(`${folder}/theirs`, '');
  fs.chmodSync(folder, mode);
}

afterAll(() => {
  for (const folder of folders) folder[Symbol.dispose]();
});

describe('the folder of the collector', () => {
  test('is for its owner alone, whatever its name', () => {
    const { inside, headroom } = place('a b"$(touch x)');
    expect(run(prepareScript, inside).status).toBe(0);
    expect(fs.statSync(headroom).mode & 0o777).toBe(0o700);
    expect(run(locateScript, inside).stdout).toBe(`${headroom}\nnone\n`);
    expect(fs.readdirSync(inside)).toEqual(['headroom']);
  });

  test.each<[string, (headroom: string) => void]>([
    ['is a link', (headroom) => fs.symlinkSync('/etc', headroom)],
    ['is a link', (headroom) => fs.symlinkSync('/nowhere', headroom)],
    ['is no folder', (headroom) => fs.writeFileSync(headroom, 'theirs')],
    ['is open to others, or not to its owner', (headroom) => makeFolder(headroom, 0o777)],
    ['was not made by headroom', (headroom) => makeFolder(headroom, 0o700)],
  ])('is not used, and not removed, where what is there %s', (why, make) => {
    const { inside, headroom } = place('t');
    make(headroom);
    for (const script of [prepareScript, removeScript]) {
      expect(run(script, inside, headroom)).toMatchObject({
        status: placeTaken,
        stderr: `${headroom} ${why}\n`,
      });
    }
    expect(fs.lstatSync(headroom, { throwIfNoEntry: false })).toBeDefined();
  });

  test('is removed when it was made here, and nothing is said where there is none', () => {
    const { inside, headroom } = place('t');
    expect(run(prepareScript, inside).status).toBe(0);
    for (const _ of ['once', 'twice']) {
      expect(run(removeScript, inside, headroom)).toMatchObject({ status: 0, stderr: '' });
      expect(fs.readdirSync(inside)).toEqual([]);
    }
  });

  test('a pid that is another program now is no collector', () => {
    const { inside, headroom } = place('t');
    run(prepareScript, inside);
    fs.writeFileSync(`${headroom}/pid`, `${process.pid}\n`);
    expect(run(locateScript, inside).stdout).toBe(`${headroom}\nnone\n`);
  });

  test('the scripts are for any POSIX shell', () => {
    for (const script of [locateScript, prepareScript, removeScript]) {
      expect(execFileSync('sh', ['-n', '-c', script], { encoding: 'utf8' })).toBe('');
    }
  });
});
