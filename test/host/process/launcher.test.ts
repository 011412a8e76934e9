import fs from 'node:fs';
import { expect, test } from 'vitest';
import { Launcher } from '../../../src/host/process/launcher.ts';
import { startRequest } from '../../../src/host/process/start-request.ts';
import { SessionFolder } from '../../../src/host/session-folder.ts';
import { temporaryFolder } from '../../support/headroom-cli.ts';

test("a folder in which nothing can run is the client's mistake, and said", () => {
  using folder = temporaryFolder();
  fs.symlinkSync('loop', folder.file('loop'));
  const launcher = new Launcher({
    sessionId: 'a',
    folder: new SessionFolder(folder.path, { hasPrivateTmp: false }),
    cgroup: null,
    isRoot: false,
    hasPrivateTmp: false,
    hostEnv: {},
  });
  const problemOf = (cwd: string) =>
    expect(() => launcher.prepare(startRequest({ command: '/bin/true', cwd })));
  problemOf(`/${'x'.repeat(5_000)}`).toThrow(
    expect.objectContaining({ status: 400, message: 'chdir: file name too long' }),
  );
  problemOf(folder.file('loop')).toThrow('chdir: too many levels of symbolic links');
  problemOf(folder.file('no')).toThrow('chdir: no such file or directory');
  problemOf('/bin/true').toThrow('chdir: not a directory');
});
