import fs from 'node:fs';
import path from 'node:path';
import { Writable } from 'node:stream';
import { afterAll, expect, test, vi } from 'vitest';
import type { CommandIo } from '../../../src/cli/command.ts';
import { hostCommand } from '../../../src/cli/host/host.ts';
import { parseArguments } from '../../../src/cli/parse-arguments.ts';
import { temporaryFolder } from '../../support/headroom-cli.ts';

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

function host(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const told: string[] = [];
  const stream = new Writable({
    write: (chunk, _, done) => {
      told.push(String(chunk));
      done();
    },
  });
  const end = new AbortController();
  const io: CommandIo = {
    stdout: stream,
    stderr: stream,
    // It is started with the first session.
    env: { PATH: process.env['PATH'], HEADROOM_CHROMIUM: '/bin/true', ...env },
    signal: end.signal,
    hurry: end.signal,
  };
  const ended = hostCommand.run(parseArguments(hostCommand, args), io);
  return { ended, told: () => told.join(''), end: () => end.abort() };
}

test.each([
  [['--listen', '0.0.0.0'], {}, '--listen needs a token of yours'],
  [['--listen', '::'], {}, '--listen needs a token of yours'],
  [['--listen', 'example.org'], {}, '--listen takes an IP address'],
  [[], { HEADROOM_HOST_TOKEN: 'short' }, 'must be 16 to 512 characters'],
])('%j is refused', async (args, env, problem) => {
  await expect(host(args, env).ended).rejects.toThrow(problem);
});

test.each(['/proc/x/y', '/proc/self', '/dev/null/x'])(
  '--data %s, where no folder can be made, is told',
  async (data) => {
    await expect(host(['--port', '0', '--data', data]).ended).rejects.toMatchObject({
      code: 'FILE_NOT_WRITABLE',
      message: expect.stringContaining(`${data}: no sessions can have their files there`),
    });
  },
);

test('a token of its own is told once, is in no file, and another one at each start', async () => {
  const tokens: string[] = [];
  for (const name of ['first', 'second']) {
    const data = folder.file(name);
    const started = host(['--port', '0', '--data', data]);
    await vi.waitFor(() => expect(started.told()).toContain('token, told once'), 60_000);
    const token = /told once: (\S+)\n/.exec(started.told())?.[1] ?? '';
    expect(started.told()).toContain('sessions at http://127.0.0.1:');
    started.end();
    expect(await started.ended).toBe(0);
    expect(started.told().split(token)).toHaveLength(2);
    expect(Buffer.from(token, 'base64url').length).toBeGreaterThanOrEqual(16);
    const files = fs.readdirSync(data, { recursive: true, withFileTypes: true });
    for (const file of files.filter((entry) => entry.isFile())) {
      expect(fs.readFileSync(path.join(file.parentPath, file.name), 'latin1')).not.toContain(token);
    }
    tokens.push(token);
  }
  expect(new Set(tokens).size).toBe(2);
});
