import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type Kernel from '@onkernel/sdk';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { temporaryFolder } from '../support/headroom-cli.ts';
import {
  decoded,
  startTestHost,
  stopTestHost,
  type TestHost,
  wholeOutput,
} from '../support/session-host.ts';
import { askWebSocket } from '../support/websocket-ask.ts';

const patience = { timeout: 60_000, interval: 200 };

// The life of one session, in order, with the SDK as its publisher ships it.
describe('headroom host', () => {
  const folder = temporaryFolder();
  let host: TestHost;
  let client: Kernel;
  let browser: Kernel.BrowserCreateResponse;
  let id: string;
  const shell = (script: string, more: object = {}) =>
    client.browsers.process.exec(id, { command: 'sh', args: ['-c', script], ...more });

  beforeAll(async () => {
    host = await startTestHost(folder.path);
    client = host.client;
    browser = await client.browsers.create({ headless: true, timeout_seconds: 600 });
    id = browser.session_id;
  });

  afterAll(async () => {
    await stopTestHost(host);
    folder[Symbol.dispose]();
  });

  test('create gives a real browser, of the size of a headless one', async () => {
    expect(browser).toMatchObject({ headless: true, timeout_seconds: 600, memory: '1GiB' });
    const question = '{"id":1,"method":"Browser.getVersion"}';
    const version = await askWebSocket(browser.cdp_ws_url, question);
    expect(JSON.parse(version).result.product).toMatch(/Chrome\/\d+/);
    const guessed = browser.cdp_ws_url.replace(/jwt=.*/, 'jwt=guessed');
    await expect(askWebSocket(guessed, question)).rejects.toThrow('401');
  });

  test('exec of free: both outputs, exit code, duration', async () => {
    const free = await client.browsers.process.exec(id, { command: 'free', args: ['-m'] });
    expect(free.exit_code).toBe(0);
    expect(decoded(free.stdout_b64)).toMatch(/^ +total +used/);
    const failed = await shell('echo one; echo two >&2; exit 137');
    expect(failed).toMatchObject({ exit_code: 137, signal: null });
    expect([decoded(failed.stdout_b64), decoded(failed.stderr_b64)]).toEqual(['one\n', 'two\n']);
    expect(await shell('kill -KILL $$')).toMatchObject({ exit_code: null, signal: 'SIGKILL' });
  });

  test('cwd, env and as_user: no rights of root are left, no group either', async () => {
    await shell('mkdir -p /tmp/work && chmod 777 /tmp/work');
    const result = await shell('pwd; echo $GIVEN; id -u; id -g; id -G; cat /etc/shadow', {
      cwd: '/tmp/work',
      env: { GIVEN: 'a b  c' },
      as_user: 'nobody',
    });
    expect(decoded(result.stdout_b64)).toBe('/tmp/work\na b c\n65534\n65534\n65534\n');
    expect(decoded(result.stderr_b64)).toContain('Permission denied');
  });

  test('the token of the host is not in the environment of a session', async () => {
    const { stdout_b64 } = await shell('env');
    expect(decoded(stdout_b64)).not.toContain(host.token);
  });

  test('a command that takes too long is ended with all it started, and not run again', async () => {
    const slow = shell('echo x >>/tmp/runs; sleep 1234.5 & sleep 1234.5; echo', { timeout_sec: 1 });
    await expect(slow).rejects.toMatchObject({ status: 504 });
    await vi.waitFor(async () => {
      const left = await shell('cat /tmp/runs; pgrep -f "[s]leep 1234.5"');
      expect(decoded(left.stdout_b64)).toBe('x\n');
    }, patience);
  });

  test('spawn, status, stdin, and streams that each have all of it', async () => {
    const script = 'echo ready; while read line; do echo "got $line"; done';
    const spawned = await client.browsers.process.spawn(id, {
      command: 'sh',
      args: ['-c', script],
    });
    const processId = spawned.process_id ?? '';
    const data_b64 = Buffer.from('a line\n').toString('base64');
    const written = await client.browsers.process.stdin(processId, { id, data_b64 });
    expect(written).toEqual({ written_bytes: 7 });
    let heard = '';
    for await (const event of await client.browsers.process.stdoutStream(processId, { id })) {
      heard += decoded(event.data_b64);
      if (heard.includes('got')) break;
    }
    expect(heard).toBe('ready\ngot a line\n');
    const status = await client.browsers.process.status(processId, { id });
    expect(status.state).toBe('running');
    expect(status.mem_bytes).toBeGreaterThan(100_000);
    const second = wholeOutput(await client.browsers.process.stdoutStream(processId, { id }));
    await client.browsers.process.kill(processId, { id, signal: 'TERM' });
    const third = wholeOutput(await client.browsers.process.stdoutStream(processId, { id }));
    const whole = {
      stdout: heard,
      stderr: '',
      last: { event: 'exit', exit_code: null, signal: 'SIGTERM' },
    };
    expect([await second, await third]).toEqual([whole, whole]);
    expect(await client.browsers.process.status(processId, { id })).toMatchObject({
      state: 'exited',
      exit_code: null,
      signal: 'SIGTERM',
    });
  });

  test('a process on a terminal sees its size, and the new one', async () => {
    const spawned = await client.browsers.process.spawn(id, {
      command: 'sh',
      args: ['-c', 'stty size; read x; stty size; exit 4'],
      allocate_tty: true,
      rows: 30,
      cols: 90,
    });
    const processId = spawned.process_id ?? '';
    let output = '';
    const stream = await client.browsers.process.stdoutStream(processId, { id });
    let last: object = {};
    let isResized = false;
    for await (const event of stream) {
      if (event.event !== undefined) last = event;
      output += decoded(event.data_b64);
      if (isResized || !output.includes('30 90')) continue;
      isResized = true;
      await client.browsers.process.resize(processId, { id, rows: 40, cols: 100 });
      const data_b64 = Buffer.from('x\n').toString('base64');
      await client.browsers.process.stdin(processId, { id, data_b64 });
    }
    expect(output).toMatch(/30 90[\s\S]*40 100/);
    expect(last).toEqual({ event: 'exit', exit_code: 4, signal: null });
  });

  test('files: what is written is what a process sees, and the other way round', async () => {
    await client.browsers.fs.writeFile(id, 'content\n', { path: '/tmp/a/b.txt', mode: '600' });
    expect(decoded((await shell('cat /tmp/a/b.txt; stat -c %a /tmp/a/b.txt')).stdout_b64)).toBe(
      'content\n600\n',
    );
    await shell('printf made >/var/tmp/c; ln -s /etc/passwd /tmp/link');
    const read = await client.browsers.fs.readFile(id, { path: '/tmp/c' });
    expect(await read.text()).toBe('made');
    const listed = await client.browsers.fs.listFiles(id, { path: '/tmp/a' });
    expect(listed).toEqual([
      expect.objectContaining({
        name: 'b.txt',
        path: '/tmp/a/b.txt',
        size_bytes: 8,
        is_dir: false,
      }),
    ]);
    for (const outside of ['/tmp/link', '/../../../../etc/passwd', '/etc/passwd']) {
      const reading = client.browsers.fs.readFile(id, { path: outside });
      await expect(reading).rejects.toMatchObject({ status: 404 });
    }
    await client.browsers.fs.deleteFile(id, { path: '/tmp/a/b.txt' });
    expect(await client.browsers.fs.listFiles(id, { path: '/tmp/a' })).toEqual([]);
  });

  test('nobody gets in without the token, or under another name', async () => {
    const status = async (headers: Record<string, string>) =>
      (await fetch(`${host.url}/browsers`, { headers })).status;
    expect(await status({})).toBe(401);
    expect(await status({ authorization: `Bearer ${host.token}x` })).toBe(401);
    expect(await status({ authorization: `Bearer ${host.token}` })).toBe(200);
  });

  test('delete leaves nothing: no process, no file, no cgroup', async () => {
    const left = await shell(
      'setsid sh -c "setsid sleep 4321" >/dev/null 2>&1 & env -i setsid sleep 4322 >/dev/null 2>&1 & sed -n "s/^[0-9]*:memory://p;s/^0:://p" /proc/self/cgroup',
    );
    const cgroup = decoded(left.stdout_b64).split('\n')[0] ?? '';
    expect(cgroup).toContain(`headroom-host-${id}`);
    const before = await vi.waitFor(async () => {
      const listed = await client.get<{ pid: number }[]>(`/browsers/${id}/process`);
      const pids = new Set(listed.map(({ pid }) => pid));
      const lines = psLines().filter((line) => pids.has(Number(line.split(' ')[0])));
      for (const part of ['chromium', 'sleep 4321', 'sleep 4322']) {
        expect(lines).toContainEqual(expect.stringContaining(part));
      }
      return lines;
    }, patience);
    await client.browsers.deleteByID(id);
    await expect(client.browsers.retrieve(id)).rejects.toMatchObject({ status: 404 });
    expect(psLines().filter((line) => before.includes(line))).toEqual([]);
    expect(readdirSync(path.join(folder.path, 'sessions'))).toEqual([]);
    const mounts = ['/sys/fs/cgroup/memory', '/sys/fs/cgroup'];
    expect(mounts.filter((mount) => existsSync(mount + cgroup))).toEqual([]);
  });
});

/** `pid command line` of every process that is there, read without our own code. */
function psLines(): string[] {
  const listed = execFileSync('ps', ['-ww', '-eo', 'pid=,args='], { encoding: 'utf8' });
  return listed.split('\n').map((line) => line.trim());
}
