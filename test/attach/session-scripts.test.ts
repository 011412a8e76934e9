import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { locateScript, prepareScript } from '../../src/attach/session-scripts.ts';
import { temporaryFolder } from '../support/headroom-cli.ts';

const folders: { [Symbol.dispose](): void }[] = [];

function place(name: string) {
  const folder = temporaryFolder();
  folders.push(folder);
  const inside = folder.file(name);
  fs.mkdirSync(inside);
  return { inside, headroom: `${inside}/headroom` };
}

const run = (script: string, tmp: string) =>
  spawnSync('sh', ['-c', script, 'sh'], { env: { ...process.env, TMPDIR: tmp }, encoding: 'utf8' });

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

  test('is no link that somebody put there', () => {
    const { inside, headroom } = place('t');
    fs.symlinkSync('/etc', headroom);
    expect(run(prepareScript, inside)).toMatchObject({
      status: 3,
      stderr: `${headroom} belongs to somebody else\n`,
    });
  });

  test('a pid that is another program now is no collector', () => {
    const { inside, headroom } = place('t');
    fs.mkdirSync(headroom);
    fs.writeFileSync(`${headroom}/pid`, `${process.pid}\n`);
    expect(run(locateScript, inside).stdout).toBe(`${headroom}\nnone\n`);
  });

  test('the scripts are for any POSIX shell', () => {
    for (const script of [locateScript, prepareScript]) {
      expect(execFileSync('sh', ['-n', '-c', script], { encoding: 'utf8' })).toBe('');
    }
  });
});
