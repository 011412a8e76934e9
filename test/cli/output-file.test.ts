import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { OutputFile } from '../../src/cli/output-file.ts';
import { temporaryFolder } from '../support/headroom-cli.ts';
import { writePageRecording } from '../support/page-recording.ts';

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder[Symbol.dispose]());

const inFolder = () => fs.readdirSync(folder.path).sort();
const code = (name: string) => expect.objectContaining({ code: name });

async function write(out: string, text: string, inputs: readonly string[] = []): Promise<void> {
  await using output = await OutputFile.create(out, inputs);
  await output.write(text);
  await output.finish();
}

/** sqlite.org/fileformat2.html: the first 16 bytes. */
function makeDatabase(name: string): string {
  fs.writeFileSync(folder.file(name), 'SQLite format 3\0rest');
  return folder.file(name);
}

test('a new file, and another in its place', async () => {
  await write(folder.file('a.txt'), 'one');
  fs.chmodSync(folder.file('a.txt'), 0o600);
  await write(folder.file('a.txt'), 'two');
  expect(fs.readFileSync(folder.file('a.txt'), 'utf8')).toBe('two');
  expect(fs.statSync(folder.file('a.txt')).mode & 0o777).toBe(0o600);
  expect(inFolder()).toEqual(['a.txt']);
});

test.each([
  [[0o600], 0o600],
  [[0o640, 0o604], 0o600],
  [[0o640], 0o640],
  [[0o400], 0o600],
])('of recordings with the modes %j it is made with at most %i', async (modes, mode) => {
  const inputs = modes.map((each, at) => {
    fs.writeFileSync(folder.file(`${at}.db`), '');
    fs.chmodSync(folder.file(`${at}.db`), each);
    return folder.file(`${at}.db`);
  });
  await write(folder.file('a.txt'), 'one', inputs);
  expect(fs.statSync(folder.file('a.txt')).mode & 0o777).toBe(mode & ~process.umask());
});

test('through a link the file is written, and the link stays', async () => {
  fs.mkdirSync(folder.file('elsewhere'));
  fs.writeFileSync(folder.file('elsewhere/a.txt'), 'old');
  fs.symlinkSync('elsewhere/a.txt', folder.file('link'));
  await write(folder.file('link'), 'new');
  expect(fs.readFileSync(folder.file('elsewhere/a.txt'), 'utf8')).toBe('new');
  expect(fs.lstatSync(folder.file('link')).isSymbolicLink()).toBe(true);
});

test('what is not finished leaves what was there', async () => {
  fs.writeFileSync(folder.file('a.txt'), 'old');
  {
    await using output = await OutputFile.create(folder.file('a.txt'), []);
    await output.write('half');
    // What a `kill -9` leaves.
    expect(fs.readFileSync(folder.file('a.txt'), 'utf8')).toBe('old');
    expect(inFolder()).toHaveLength(2);
  }
  expect(fs.readFileSync(folder.file('a.txt'), 'utf8')).toBe('old');
  expect(inFolder()).toEqual(['a.txt']);
});

describe('recordings are not overwritten', () => {
  test('one that is read, under any name', async () => {
    const input = folder.file('input');
    fs.writeFileSync(input, 'of any kind');
    fs.writeFileSync(`${input}-wal`, 'log');
    fs.symlinkSync('input', folder.file('soft'));
    fs.linkSync(input, folder.file('hard'));
    for (const out of [input, `${input}-wal`, folder.file('soft'), folder.file('hard')]) {
      await expect(write(out, 'x', [input])).rejects.toThrow(code('FILE_EXISTS'));
      await expect(write(out, 'x', [input])).rejects.toThrow('is what is being read');
    }
    expect(fs.readFileSync(input, 'utf8')).toBe('of any kind');
    expect(inFolder()).toEqual(['hard', 'input', 'input-wal', 'soft']);
  });

  test('any other database, and what belongs to it, there or not', async () => {
    const database = makeDatabase('other.db');
    fs.symlinkSync('other.db', folder.file('link'));
    for (const out of [database, folder.file('link'), `${database}-wal`, `${database}-shm`]) {
      await expect(write(out, 'x')).rejects.toThrow(code('FILE_EXISTS'));
    }
    expect(fs.readFileSync(database, 'latin1')).toBe('SQLite format 3\0rest');
    expect(inFolder()).toEqual(['link', 'other.db']);
  });

  test('one that is damaged at its beginning', async () => {
    const file = folder.file('torn.db');
    writePageRecording(file, { tickCount: 3, labels: {} });
    const bytes = fs.readFileSync(file).fill(0, 0, 512);
    fs.writeFileSync(file, bytes);
    fs.symlinkSync('torn.db', folder.file('link'));
    for (const out of [file, folder.file('link')]) {
      await expect(write(out, 'x')).rejects.toThrow(code('FILE_EXISTS'));
    }
    expect(fs.readFileSync(file).equals(bytes)).toBe(true);
  });

  test('one that was made while the output was written', async () => {
    const out = folder.file('other.db');
    await using output = await OutputFile.create(out, []);
    await output.write('x');
    makeDatabase('other.db');
    await expect(output.finish()).rejects.toThrow(code('FILE_EXISTS'));
    expect(fs.readFileSync(out, 'latin1')).toBe('SQLite format 3\0rest');
  });

  test('nor any file that was made meanwhile, where none may be replaced', async () => {
    const out = folder.file('a.txt');
    await using output = await OutputFile.create(out, [], { mayReplace: false });
    fs.writeFileSync(out, 'theirs');
    await expect(output.finish()).rejects.toThrow(code('FILE_EXISTS'));
    expect(fs.readFileSync(out, 'utf8')).toBe('theirs');
  });

  test('a name that only looks like one is free', async () => {
    await write(folder.file('notes-wal'), 'x');
    await write(folder.file('notes.db'), 'x');
    expect(inFolder()).toEqual(['notes-wal', 'notes.db']);
  });
});

describe('what cannot be written is FILE_NOT_WRITABLE and names the path', () => {
  test.each([
    ['a folder that does not exist', 'no/a.txt', '(ENOENT)'],
    ['a file for a folder', 'file/a.txt', '(ENOTDIR)'],
    ['a folder', '.', 'is not a regular file'],
    ['a pipe', 'pipe', 'is not a regular file'],
    ['a name that is too long', 'x'.repeat(256), '(ENAMETOOLONG)'],
  ])('%s', async (_, name, what) => {
    fs.writeFileSync(folder.file('file'), '');
    execFileSync('mkfifo', [folder.file('pipe')]);
    const out = folder.file(name);
    await expect(write(out, 'x')).rejects.toThrow(code('FILE_NOT_WRITABLE'));
    await expect(write(out, 'x')).rejects.toThrow(`--out ${out}: `);
    await expect(write(out, 'x')).rejects.toThrow(what);
    expect(inFolder()).toEqual(['file', 'pipe']);
  });

  // full(4): every write fails with ENOSPC.
  test('a disk that is full in the middle', async () => {
    await expect(write('/dev/full', 'x')).rejects.toThrow(code('FILE_NOT_WRITABLE'));
    await expect(write('/dev/full', 'x')).rejects.toThrow('--out /dev/full: no space left');
  });
});

test('a character device is written to', async () => {
  await write('/dev/null', 'x');
  expect(fs.statSync('/dev/null').isCharacterDevice()).toBe(true);
});
