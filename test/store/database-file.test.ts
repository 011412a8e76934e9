import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { analyse } from '../../src/analysis/session-report.ts';
import { inspectDatabaseFile } from '../../src/store/database-file.ts';
import { temporaryFolder } from '../support/headroom-cli.ts';

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

test('a pipe and a device are refused, without opening them', () => {
  execFileSync('mkfifo', [folder.file('pipe')]);
  for (const path of [folder.file('pipe'), '/dev/null']) {
    const refused = expect.objectContaining({
      code: 'FILE_NOT_READABLE',
      message: `${path}: is not a regular file`,
    });
    expect(() => inspectDatabaseFile(path)).toThrow(refused);
    expect(() => analyse(path)).toThrow(refused);
  }
});

test.each([
  ['', 'FILE_NOT_FOUND', 'an empty name ("") is no file'],
  [folder.file('missing'), 'FILE_NOT_FOUND', `${folder.file('missing')}: no such file`],
  ['/dev/null/x', 'FILE_NOT_FOUND', '/dev/null/x: no such file'],
  [folder.path, 'FILE_NOT_READABLE', `${folder.path}: is a folder, not a file`],
])('%j is no recording', (path, code, message) => {
  expect(() => inspectDatabaseFile(path)).toThrow(expect.objectContaining({ code, message }));
});

test('an empty file is told as such', () => {
  fs.writeFileSync(folder.file('a.db'), '');
  expect(() => inspectDatabaseFile(folder.file('a.db'))).toThrow(
    expect.objectContaining({ code: 'FILE_EMPTY' }),
  );
});
