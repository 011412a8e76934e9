import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startCli, temporaryFolder } from '../support/headroom-cli.ts';
import { startTestHost, stopTestHost, type TestHost } from '../support/session-host.ts';

const patience = { timeout: 60_000, interval: 1_000 };

// A host of ours with the better manners, and one that is as bad as the real server.
describe.each([[[]], [['--quirks']]])('a session from a shell, host %j', (flags) => {
  const folder = temporaryFolder();
  let host: TestHost;
  let target = '';
  const inSession = (name: string, ...args: string[]) => {
    const env = { ...process.env, KERNEL_API_KEY: host.token, KERNEL_BASE_URL: host.url };
    return startCli([name, target, ...args], env).result;
  };

  beforeAll(async () => {
    host = await startTestHost(folder.path, ...flags);
    const browser = await host.client.browsers.create({ headless: true, timeout_seconds: 600 });
    target = `kernel:${browser.session_id}`;
  });

  afterAll(async () => {
    await stopTestHost(host);
    folder[Symbol.dispose]();
  });

  test('exec hands on arguments, both outputs and the exit code as they are', async () => {
    const script = 'printf "%s|" "$@"; echo said >&2; exit 37';
    const result = await inSession('exec', '--', 'sh', '-c', script, 'sh', 'a,b', ' $HOME "c"', '');
    expect(result).toMatchObject({ exitCode: 37, stdout: 'a,b| $HOME "c"||', stderr: 'said\n' });
  });

  test('what takes too long is ended and not run again', async () => {
    const script = 'echo x >>"$TMPDIR/runs"; exec sleep 1234';
    const slow = await inSession('exec', '--timeout', '1s', '--', 'sh', '-c', script);
    expect(slow.exitCode).toBe(1);
    expect(slow.stderr).toContain('[SESSION_CALL_FAILED]');
    expect(slow.stderr + slow.stdout).not.toContain(host.token);
    const runs = await inSession('exec', '--', 'sh', '-c', 'cat "$TMPDIR/runs"');
    expect(runs.stdout).toBe('x\n');
  });

  test('spawn, ps, logs and kill', async () => {
    const script = 'trap "exit 5" TERM; echo ready; sleep 1235 & wait';
    const spawned = await inSession('spawn', '--', 'sh', '-c', script);
    const id = spawned.stdout.trim();
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    const logs = inSession('logs', id);
    await vi.waitFor(async () => {
      const { stdout } = await inSession('ps', '--tree');
      expect(stdout).toMatch(/\n *\d+ .* sh -c trap[^\n]*\n *\d+ .* {3,}sleep 1235\n/);
    }, patience);
    expect((await inSession('kill', id)).exitCode).toBe(0);
    // Of the real server the last output may be lost; that is why nothing of it is expected there.
    const heard = await logs;
    if (flags.length === 0) expect(heard).toMatchObject({ exitCode: 5, stdout: 'ready\n' });
  });
});
