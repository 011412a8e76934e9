import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { requireRegularFile } from '../../src/cli/input-file.ts';
import { temporaryFolder } from '../support/headroom-cli.ts';

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

test('a pipe and a device are refused, without opening them', () => {
  execFileSync('mkfifo', [folder.file('pipe')]);
  for (const path of [folder.file('pipe'), '/dev/null']) {
    expect(() => requireRegularFile(path)).toThrow(
      expect.objectContaining({
        code: 'FILE_NOT_READABLE',
        message: `${path}: is not a regular file`,
      }),
    );
  }
});

test('a file is one, and what is missing or a folder is told by whoever opens it', () => {
  fs.writeFileSync(folder.file('a.db'), '');
  for (const path of [folder.file('a.db'), folder.path, folder.file('missing'), '/dev/null/x']) {
    expect(() => requireRegularFile(path)).not.toThrow();
  }
});
