import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { runCli, startCli, temporaryFolder } from '../support/headroom-cli.ts';
import { SshServer, sshdMissing } from '../support/ssh-server.ts';

const patience = { timeout: 120_000, interval: 200 };

// A machine that a real sshd leads to, in order. Its login shell says something of its own before each
// command.
describe.skipIf(sshdMissing())('ssh:', () => {
  const folder = temporaryFolder();
  let server: SshServer;
  let target = '';
  const headroom = (name: string, ...args: string[]) =>
    startCli([name, target, ...args], server.env).result;

  beforeAll(async () => {
    server = await SshServer.start();
    target = `ssh:${server.user}@127.0.0.1:${server.port}`;
  });

  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  test('exec hands on arguments, input, both outputs and the exit code as they are', async () => {
    const args = ['a,b', ' $HOME "c"', "it's `id`; ls", '*', 'two\nlines', ''];
    const script = 'cat; printf "%s|" "$@"; echo said >&2; exit 255';
    const line = ['exec', target, '--stdin', '--', 'sh', '-c', script, 'sh', ...args];
    expect(await startCli(line, server.env, 'input\n').result).toMatchObject({
      exitCode: 255,
      stdout: `input\n${args.map((each) => `${each}|`).join('')}`,
      stderr: 'said\n',
    });
  });

  test('folder, variables, and a signal that is told as one', async () => {
    const flags = ['--cwd', '/usr/lib', '--env', 'V=a b=c', '--env', 'W='];
    const script = 'pwd; echo "$V$W"; kill -KILL $$';
    expect(await headroom('exec', ...flags, '--', 'sh', '-c', script)).toMatchObject({
      exitCode: 137,
      stdout: '/usr/lib\na b=c\n',
      stderr: 'ended by SIGKILL\n',
    });
    const other = await headroom('exec', '--as-user', 'nobody', '--', 'true');
    expect(other).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('SESSION_CANNOT') });
  });

  test('Ctrl-C ends the command there', async () => {
    const pidFile = path.join(server.temporaryFolder, 'pid');
    const script =
      'echo $$ >"$TMPDIR/pid.new"; mv "$TMPDIR/pid.new" "$TMPDIR/pid"; exec sleep 7788';
    const { child, result } = startCli(['exec', target, '--', 'sh', '-c', script], server.env);
    await vi.waitFor(() => expect(existsSync(pidFile)).toBe(true), patience);
    const pid = Number(readFileSync(pidFile, 'utf8'));
    child.kill('SIGINT');
    expect(await result).toMatchObject({ exitCode: 130, stdout: '' });
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'), patience);
  });

  test('spawn, ps, kill and logs of a process that outlives its call', async () => {
    const script = 'trap "exit 5" TERM; echo ready; while :; do sleep 0.1; done';
    const id = (await headroom('spawn', '--', 'sh', '-c', script)).stdout.trim();
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    const list = async () => JSON.parse((await headroom('ps', '--json')).stdout).processes;
    const running = { processId: id, state: 'running' };
    expect(await list()).toContainEqual(expect.objectContaining(running));
    const logs = startCli(['logs', target, id], server.env);
    await new Promise((resolve) => logs.child.stdout?.once('data', resolve));
    expect(await headroom('kill', id)).toMatchObject({ exitCode: 0 });
    expect(await logs.result).toMatchObject({ exitCode: 5, stdout: 'ready\n' });
    const ended = { processId: id, state: 'exited', exitCode: 5, signal: null };
    expect(await list()).toContainEqual(expect.objectContaining(ended));
  });

  test('spawn --stdin hands the input on, to its end', async () => {
    const line = ['spawn', target, '--stdin', '--', 'sh', '-c', 'wc -l; exit 3'];
    expect(await startCli(line, server.env, 'a\nb\n').result).toMatchObject({
      exitCode: 3,
      stdout: '2\n',
    });
  });

  test('top shows what is there now, and leaves nothing there', async () => {
    const left = readdirSync(server.temporaryFolder);
    const { exitCode, stdout } = await headroom('top', '--json');
    expect(exitCode).toBe(0);
    const view = JSON.parse(stdout);
    expect(view).toMatchObject({ schemaVersion: 1, source: target, state: 'live' });
    const pids = view.processes.map(({ pid }: { pid: number }) => pid);
    expect(pids).toContain(process.pid);
    expect(readdirSync(server.temporaryFolder)).toEqual(left);
  });

  test('a machine is recorded, and nothing of that stays there', async () => {
    const attached = await headroom('attach', '--detach', '--mode', 'node', '--interval', '200ms');
    expect(attached).toMatchObject({ exitCode: 0, stderr: `recording in ${target}\n` });
    const out = folder.file('there.db');
    expect(await headroom('stop', '--out', out)).toMatchObject({ exitCode: 0 });
    expect(await runCli('verify', out)).toMatchObject({ exitCode: 0 });
    const report = await runCli('report', out, '--format', 'json');
    expect(JSON.parse(report.stdout).session.source).toBe('ssh');
    expect(readdirSync(server.temporaryFolder)).not.toContain('headroom');
  });

  test('whoever is not let in is told so, and is asked nothing', async () => {
    server.refuseKey();
    const refused = await headroom('exec', '--', 'true');
    expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
    expect(refused.stderr).toContain('Permission denied');
    expect(refused.stderr).toContain('[SESSION_REFUSED]');
  });
});
