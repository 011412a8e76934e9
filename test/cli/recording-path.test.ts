import fs from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { recordingPath } from '../../src/cli/recording-path.ts';
import { temporaryFolder } from '../support/headroom-cli.ts';

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

test.each([
  ['a.db', 'a.db'],
  [':memory:', './:memory:'],
  ['file:a.db?mode=ro', './file:a.db?mode=ro'],
  ['/data/:memory:', '/data/:memory:'],
  ['files.db', 'files.db'],
])('%s is %s', (out, path) => {
  expect(recordingPath(out)).toBe(path);
});

const refused = expect.objectContaining({ code: 'FILE_NOT_WRITABLE' });

// ext4, XFS, Btrfs and tmpfs: 255 bytes. SQLite makes `NAME-journal`.
test('a name needs room for those that SQLite makes of it', () => {
  const longest = folder.file('x'.repeat(247));
  expect(recordingPath(longest)).toBe(longest);
  expect(() => recordingPath(folder.file('x'.repeat(248)))).toThrow(refused);
  expect(() => recordingPath(folder.file('é'.repeat(127)))).toThrow(refused);
});

test('a link: to a file, to nothing', () => {
  fs.writeFileSync(folder.file('there'), '');
  fs.symlinkSync('there', folder.file('good'));
  fs.symlinkSync('nowhere', folder.file('dangling'));
  expect(recordingPath(folder.file('good'))).toBe(folder.file('good'));
  expect(() => recordingPath(folder.file('dangling'))).toThrow(refused);
  expect(() => recordingPath(folder.file('dangling'))).toThrow('is a link to nothing');
});

test('a device is no file', () => {
  expect(() => recordingPath('/dev/null')).toThrow(refused);
  expect(() => recordingPath('/dev/null')).toThrow('/dev/null: is not a regular file');
});
