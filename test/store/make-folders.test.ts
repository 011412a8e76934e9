import { existsSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { makeFolders } from '../../src/store/make-folders.ts';
import { temporaryFolder } from '../support/headroom-cli.ts';

test('a folder is made with those above it, and those that were made are given', () => {
  using folder = temporaryFolder();
  const made = [folder.file('a'), folder.file('a/b'), folder.file('a/b/c')];
  expect(makeFolders(folder.file('a/b/c'))).toEqual(made);
  expect(statSync(folder.file('a/b/c')).isDirectory()).toBe(true);
  expect(makeFolders(folder.file('a/b/c'))).toEqual([]);
  expect(makeFolders(`${folder.file('a')}//d/../b/`)).toEqual([]);
});

test('where there is something else, or nothing can be made, it throws and comes to an end', () => {
  using folder = temporaryFolder();
  writeFileSync(folder.file('file'), '');
  symlinkSync(folder.file('nothing'), folder.file('link'));
  expect(() => makeFolders(folder.file('file'))).toThrow('ENOTDIR');
  expect(() => makeFolders(folder.file('file/a'))).toThrow('ENOTDIR');
  expect(() => makeFolders(folder.file('link'))).toThrow('ENOENT');
  expect(() => makeFolders('/proc/self/no/such')).toThrow('ENOENT');
  expect(readdirSync(folder.path).sort()).toEqual(['file', 'link']);
  expect(existsSync(folder.file('nothing'))).toBe(false);
});
