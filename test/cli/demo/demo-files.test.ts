import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { demoFiles } from '../../../src/cli/demo/demo-files.ts';
import { temporaryFolder } from '../../support/headroom-cli.ts';

const folder = temporaryFolder();
const now = new Date(0);
afterAll(() => folder[Symbol.dispose]());

test('what cannot be written is told before anything starts', () => {
  const file = folder.file('a-file');
  writeFileSync(file, '');
  expect(() => demoFiles(`${file}/x.db`, now)).toThrow('a file is where a folder should be');
  expect(() => demoFiles(`${file}/deeper/x.db`, now)).toThrow('a file is where a folder should be');
  expect(() => demoFiles(folder.file('new/'), now)).toThrow('names a folder, not a file');
  for (const page of ['new/x.html', 'new/x.HTM']) {
    expect(() => demoFiles(folder.file(page), now)).toThrow(
      `--out names the recording, not its page: "${folder.file('new/x.db')}"`,
    );
  }
  expect(existsSync(folder.file('new'))).toBe(false);
  expect(() => demoFiles('/proc/x.db', now)).toThrow('/proc/x.db: no file can be made there');
  expect(() => demoFiles('/proc/x/y.db', now)).toThrow('/proc/x: ENOENT');
});

test('folders that were made go when they stay empty, and only then', () => {
  const empty = demoFiles(folder.file('one/two/x.db'), now);
  expect(readdirSync(folder.file('one/two'))).toEqual([]);
  empty.removeEmptyFolders();
  expect(existsSync(folder.file('one'))).toBe(false);
  const used = demoFiles(folder.file('three/x.db'), now);
  writeFileSync(used.recording, '');
  used.removeEmptyFolders();
  expect(existsSync(path.join(folder.file('three'), 'x.db'))).toBe(true);
});
