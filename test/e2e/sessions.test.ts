import { spawn as openTerminal } from '@lydell/node-pty';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { headroomMain, startCli, temporaryFolder } from '../support/headroom-cli.ts';
import { decoded, startTestHost, stopTestHost, type TestHost } from '../support/session-host.ts';

const patience = { timeout: 120_000, interval: 1_000 };

// A host of ours with the better manners, and one that is as bad as the real server; as a session of the
// hosted API, and by the API of the server in a VM.
describe.each([
  ['kernel', []],
  ['vm', ['--quirks']],
])('a session from a shell, %s:, host %j', (kind, flags) => {
  const folder = temporaryFolder();
  let host: TestHost;
  let target = '';
  let id = '';
  const inSession = (name: string, ...args: string[]) => startInSession(name, args).result;
  const startInSession = (name: string, args: readonly string[], input: string | null = null) =>
    startCli([name, target, ...args], environment(), input);
  const environment = () => {
    const keys =
      kind === 'vm'
        ? { HEADROOM_VM_TOKEN: host.token }
        : { KERNEL_API_KEY: host.token, KERNEL_BASE_URL: host.url };
    return { ...process.env, ...keys };
  };

  /** What is only set up or looked at, by the SDK: that is no matter of this test. */
  const beside = async (script: string, ...args: string[]) => {
    const command = { command: 'sh', args: ['-c', script, 'sh', ...args] };
    return decoded((await host.client.browsers.process.exec(id, command)).stdout_b64);
  };

  beforeAll(async () => {
    host = await startTestHost(folder.path, ...flags);
    const browser = await host.client.browsers.create({ headless: true, timeout_seconds: 600 });
    id = browser.session_id;
    target = kind === 'vm' ? `vm:${host.url}/sessions/${id}` : `kernel:${id}`;
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
    expect(await beside('cat "$TMPDIR/runs"')).toBe('x\n');
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

  test('exec with a folder, variables, another user, an input', async () => {
    const flags = ['--cwd', '/usr/lib', '--env', 'V=a b=c', '--as-user', 'nobody'];
    const script = 'pwd; echo "$V"; id -u';
    const told = await inSession('exec', ...flags, '--', 'sh', '-c', script);
    expect(told).toMatchObject({ exitCode: 0, stdout: '/usr/lib\na b=c\n65534\n' });
    const fed = await startInSession('exec', ['--stdin', '--', 'wc', '-l'], 'a\nb\n').result;
    expect(fed).toMatchObject({ exitCode: 0, stdout: '2\n' });
    expect(await beside('ls "$TMPDIR"')).not.toContain('headroom-input');
  });

  test('spawn --stdin: what goes in comes out', async () => {
    const script = 'read x; echo "got $x"; exit 6';
    const result = await startInSession('spawn', ['--stdin', '--', 'sh', '-c', script], 'a\n')
      .result;
    // Of the real server the last output and the end may be lost.
    if (flags.length === 0) expect(result).toMatchObject({ exitCode: 6, stdout: 'got a\n' });
    else expect([6, 1]).toContain(result.exitCode);
  });

  test('spawn --tty: keys, the size of this terminal, and its change', async () => {
    const script = 'while :; do stty size; sleep 0.2; done';
    const args = ['spawn', target, '--tty', '--', 'sh', '-c', script];
    if (flags.length > 0) {
      // Nobody would ever see what is written there.
      const refused = await startCli(args, environment()).result;
      expect(refused.stderr).toContain('[SESSION_CANNOT]');
      return;
    }
    const terminal = openTerminal(process.execPath, [headroomMain, ...args], {
      rows: 30,
      cols: 90,
      env: environment(),
    });
    let shown = '';
    terminal.onData((text) => {
      shown += text;
    });
    const ended = new Promise<{ exitCode: number }>((resolve) => terminal.onExit(resolve));
    await vi.waitFor(() => expect(shown).toContain('30 90'), patience);
    terminal.resize(100, 40);
    await vi.waitFor(() => expect(shown).toContain('40 100'), patience);
    terminal.write('\u0003');
    expect((await ended).exitCode).toBe(130);
  });

  test('logs of a file: all of it, or what is written from now on', async () => {
    const write = (text: string) => beside('printf "%s" "$1" >>/tmp/log', text);
    await write('one\n\nhalf');
    const whole = await inSession('logs', '/tmp/log');
    expect(whole).toMatchObject({ exitCode: 0, stdout: 'one\n\nhalf' });
    const live = startInSession('logs', ['-f', '/tmp/log']);
    let heard = '';
    live.child.stdout?.on('data', (text: string) => {
      heard += text;
    });
    // Again and again, as it is not known when the other side begins to look.
    await vi.waitFor(async () => {
      await write('more\n');
      expect(heard).toContain('more\n');
    }, patience);
    live.child.kill('SIGINT');
    expect(await live.result).toMatchObject({ exitCode: 0 });
    expect(heard).not.toContain('one');
    const none = await inSession('logs', '-f', '/tmp/none');
    expect(none.stderr).toContain('[SESSION_NOT_FOUND]');
  });
});
