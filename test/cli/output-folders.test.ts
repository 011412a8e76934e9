import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { OutputError } from '../../src/cli/output-file.ts';
import { OutputFolders } from '../../src/cli/output-folders.ts';
import { temporaryFolder } from '../support/headroom-cli.ts';

test('folders that it made and that stayed empty are gone at the end, and no others', () => {
  using folder = temporaryFolder();
  mkdirSync(folder.file('there'));
  {
    using folders = new OutputFolders();
    folders.make(folder.file('there/a/b'));
    folders.make(folder.file('there/a/c'));
    folders.make(folder.file('there/a/c'));
    folders.make(folder.file('there'));
    folders.make(folder.file('new/d'));
    writeFileSync(folder.file('there/a/c/kept'), '');
  }
  expect(existsSync(folder.file('there/a/b'))).toBe(false);
  expect(existsSync(folder.file('there/a/c/kept'))).toBe(true);
  expect(existsSync(folder.file('new'))).toBe(false);
});

test('what cannot be made is an error of the output, also below /proc, and leaves nothing', () => {
  using folder = temporaryFolder();
  writeFileSync(folder.file('file'), '');
  using folders = new OutputFolders();
  expect(() => folders.make(folder.file('file/a'))).toThrow(OutputError);
  expect(() => folders.make('/proc/self/no/such')).toThrow(OutputError);
});
