import fs from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeDatabase } from '../../src/cli/output-database.ts';
import { HeadroomError } from '../../src/model/errors.ts';
import { temporaryFolder } from '../support/headroom-cli.ts';

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder[Symbol.dispose]());

const inFolder = () => fs.readdirSync(folder.path).sort();
const refusal = (code: string) => expect.objectContaining({ code });

test('gets its name when it is made', () => {
  const made = makeDatabase(folder.file('a.db'), (temporary) => {
    fs.writeFileSync(temporary, 'all of it');
    expect(inFolder()).toHaveLength(1);
    expect(inFolder()).not.toContain('a.db');
    return 42;
  });
  expect(made).toBe(42);
  expect(inFolder()).toEqual(['a.db']);
  expect(fs.readFileSync(folder.file('a.db'), 'utf8')).toBe('all of it');
});

test.each(['a file', 'an empty file', 'a folder', 'a link to nothing'])(
  '%s is not replaced',
  (kind) => {
    const out = folder.file('a.db');
    if (kind === 'a folder') fs.mkdirSync(out);
    else if (kind === 'a link to nothing') fs.symlinkSync('nowhere', out);
    else fs.writeFileSync(out, kind === 'a file' ? 'mine' : '');
    const code = kind === 'a link to nothing' ? 'FILE_NOT_WRITABLE' : 'FILE_EXISTS';
    expect(() => makeDatabase(out, () => expect.unreachable())).toThrow(refusal(code));
    expect(inFolder()).toEqual(['a.db']);
  },
);

test('leaves nothing when it fails, and names the file that was asked for', () => {
  const out = folder.file('a.db');
  const make = () =>
    makeDatabase(out, (temporary) => {
      for (const part of ['', '-journal', '-wal', '-shm']) fs.writeFileSync(temporary + part, 'x');
      throw new HeadroomError('STORE_FULL', `${temporary}: no space left`);
    });
  expect(make).toThrow(refusal('STORE_FULL'));
  expect(make).toThrow(`${out}: no space left`);
  expect(inFolder()).toEqual([]);
});

test('in a folder that is not there is said so', () => {
  fs.writeFileSync(folder.file('file'), '');
  for (const [name, errno] of [
    ['no/a.db', 'ENOENT'],
    ['file/a.db', 'ENOTDIR'],
  ] as const) {
    const out = folder.file(name);
    const make = () => makeDatabase(out, () => expect.unreachable());
    expect(make).toThrow(refusal('FILE_NOT_WRITABLE'));
    expect(make).toThrow(new RegExp(`^${out}: the folder does not exist \\(${errno}\\)$`));
  }
});
