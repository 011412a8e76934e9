import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { request } from 'node:http';
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

const patience = { timeout: 120_000, interval: 200 };

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

  test('other users of the machine cannot read the files of sessions', () => {
    expect(statSync(path.join(folder.path, 'sessions')).mode & 0o777).toBe(0o700);
  });

  test('the token of the host is not in the environment of a session', async () => {
    const { stdout_b64 } = await shell('env');
    expect(decoded(stdout_b64)).not.toContain(host.token);
  });

  test('a command that takes too long is ended with all it started, and not run again', async () => {
    const before = host.requests.length;
    const slow = shell('sleep 1234.5 & sleep 1234.5; echo', { timeout_sec: 1 });
    await expect(slow).rejects.toMatchObject({ status: 504 });
    expect(host.requests.length - before).toBe(1);
    await vi.waitFor(async () => {
      expect((await shell('pgrep -f "[s]leep 1234.5"')).exit_code).toBe(1);
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

  test('files: folders, upload, move, permissions, zip both ways', async () => {
    const { fs } = client.browsers;
    await fs.createDirectory(id, { path: '/tmp/d/e', mode: '750' });
    const files = [
      { dest_path: '/tmp/d/e/one', file: new File(['1'], 'one') },
      { dest_path: '/tmp/d/new/two', file: new File(['22'], 'two') },
    ];
    await fs.upload(id, { files });
    await fs.move(id, { src_path: '/tmp/d/new/two', dest_path: '/tmp/d/e/zwei' });
    await fs.setFilePermissions(id, { path: '/tmp/d/e/zwei', mode: '0640', owner: 'nobody' });
    const told = await shell('cd /tmp/d && stat -c "%n %a %U %s" e e/* new; cat e/*');
    expect(decoded(told.stdout_b64)).toMatch(
      /^e 750 root \d+\ne\/one 644 root 1\ne\/zwei 640 nobody 2\nnew 755 root \d+\n122$/,
    );
    expect(await fs.fileInfo(id, { path: '/tmp/d/e/zwei' })).toMatchObject({
      name: 'zwei',
      size_bytes: 2,
      mode: '-rw-r-----',
    });
    await shell('ln -s /etc /tmp/d/etc');
    const zip = Buffer.from(await (await fs.downloadDirZip(id, { path: '/tmp/d' })).arrayBuffer());
    await fs.deleteDirectory(id, { path: '/tmp/d' });
    await expect(fs.listFiles(id, { path: '/tmp/d' })).rejects.toMatchObject({ status: 404 });
    await fs.uploadZip(id, { dest_path: '/tmp/unpacked', zip_file: new File([zip], 'a.zip') });
    const unpacked = await shell('cd /tmp/unpacked && find . | sort; cat e/zwei');
    expect(decoded(unpacked.stdout_b64)).toBe('.\n./e\n./e/one\n./e/zwei\n./new\n22');
  });

  test('files: a folder that is watched', async () => {
    const { watch } = client.browsers.fs;
    await shell('mkdir /tmp/watched');
    const { watch_id = '' } = await watch.start(id, { path: '/tmp/watched' });
    await shell('echo x >/tmp/watched/new && rm /tmp/watched/new && mkdir /tmp/watched/last');
    const told: string[] = [];
    for await (const event of await watch.events(watch_id, { id })) {
      told.push(`${event.type} ${event.path}`);
      if (event.name === 'last') break;
    }
    expect(told).toContain('DELETE /tmp/watched/new');
    expect(told.at(-1)).toBe('CREATE /tmp/watched/last');
    await watch.stop(watch_id, { id });
    await expect(watch.stop(watch_id, { id })).rejects.toMatchObject({ status: 404 });
  });

  test('logs: the lines of a file as they are written, or from its start to its end', async () => {
    await shell('printf "a\\n\\nb\\nhalf" >/tmp/log');
    const source = { source: 'path', path: '/tmp/log' } as const;
    const read: string[] = [];
    for await (const { message } of await client.browsers.logs.stream(id, {
      ...source,
      follow: false,
    })) {
      read.push(message);
    }
    expect(read).toEqual(['a', 'b', 'half']);
    const live = await client.browsers.logs.stream(id, source);
    await shell('printf " whole\\nc\\n" >>/tmp/log');
    const heard: string[] = [];
    for await (const { message } of live) {
      if (heard.push(message) === 2) break;
    }
    expect(heard).toEqual([' whole', 'c']);
  });

  test('nobody gets in without the token, or under another name', async () => {
    const status = async (headers: Record<string, string>) =>
      (await fetch(`${host.url}/browsers`, { headers })).status;
    expect(await status({})).toBe(401);
    expect(await status({ authorization: `Bearer ${host.token}x` })).toBe(401);
    expect(await status({ authorization: `Bearer ${host.token}` })).toBe(200);
    const inVm = async (token: string) => {
      const headers = { authorization: `Bearer ${token}` };
      return (await fetch(`${host.url}/sessions/${id}/process`, { headers })).status;
    };
    expect([await inVm(`${host.token}x`), await inVm(''), await inVm(host.token)]).toEqual([
      401, 401, 200,
    ]);
    const rebound = { authorization: `Bearer ${host.token}`, host: 'rebound.example' };
    expect(await statusOf(host.url, '/browsers', rebound)).toBe(403);
    // What is no URL ends nothing.
    for (const target of ['//', '//:x/', '/%zz', '/browsers/%zz']) {
      expect(await statusOf(host.url, target, {})).toBe(401);
    }
  });

  test('delete leaves nothing: no process, no file, no cgroup', async () => {
    // Into the roots of both versions, where that is permitted: nothing but its /tmp tells whose it is.
    const fled = `sleep ${1_000_000 + process.pid}`;
    const leaving = `for root in memory unified .; do echo $$ >/sys/fs/cgroup/$root/cgroup.procs; done; exec ${fled}`;
    const left = await shell(
      `setsid sh -c "setsid sleep 4321" >/dev/null 2>&1 & env -i setsid sleep 4322 >/dev/null 2>&1 & env -i setsid sh -c '${leaving}' >/dev/null 2>&1 & sed -n "s/^[0-9]*:memory://p;s/^0:://p" /proc/self/cgroup`,
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
      const outside = psLines().filter((line) => line.endsWith(` ${fled}`));
      expect(outside).toEqual([expect.stringMatching(/^\d+ sleep \d+$/)]);
      return [...lines, ...outside];
    }, patience);
    await client.browsers.deleteByID(id);
    await expect(client.browsers.retrieve(id)).rejects.toMatchObject({ status: 404 });
    expect(psLines().filter((line) => before.includes(line))).toEqual([]);
    expect(readdirSync(path.join(folder.path, 'sessions'))).toEqual([]);
    const mounts = ['/sys/fs/cgroup/memory', '/sys/fs/cgroup'];
    expect(mounts.filter((mount) => existsSync(mount + cgroup))).toEqual([]);
  });
});

describe('headroom host: what is told and what is left', () => {
  const folder = temporaryFolder();
  let host: TestHost;

  beforeAll(async () => {
    host = await startTestHost(folder.path);
  });

  afterAll(async () => {
    await stopTestHost(host);
    folder[Symbol.dispose]();
  });

  test('OOM kills and crashes: live, replayed, and after the session is gone', async () => {
    const { client } = host;
    const { browsers } = client;
    const { session_id: id, created_at } = await browsers.create({
      headless: true,
      timeout_seconds: 600,
      telemetry: { enabled: true },
    });
    const live = await browsers.telemetry.stream(id);
    const eater = await browsers.process.spawn(id, {
      command: 'dd',
      args: ['if=/dev/zero', 'of=/dev/null', 'bs=1600M', 'count=1'],
    });
    const kill = {
      type: 'system_oom_kill',
      category: 'system',
      data: { process_name: 'dd', pid: eater.pid, constraint: 'memcg' },
    };
    for await (const { seq, event } of live) {
      expect({ seq, event }).toMatchObject({ seq: 1, event: kill });
      break;
    }
    const list = await client.get<{ pid: number; name: string; args: string[] }[]>(
      `/browsers/${id}/process`,
    );
    const main = list.find(
      ({ name, args }) => name === 'chromium' && !args.join(' ').includes('--type='),
    );
    await client.post(`/browsers/${id}/process/${main?.pid}/kill`, { body: { signal: 'KILL' } });
    const crash = {
      type: 'service_crashed',
      data: { service_name: 'chromium', phase: 'running', pid: main?.pid },
    };
    const resumed = await browsers.telemetry.stream(id, { 'Last-Event-ID': '1' });
    for await (const envelope of resumed) {
      expect(envelope).toMatchObject({ seq: 2, event: crash });
      break;
    }
    const types: string[] = [];
    for await (const { event } of await browsers.telemetry.stream(id, { replay: 'all' })) {
      if (types.push(event.type) === 2) break;
    }
    expect(types).toEqual(['system_oom_kill', 'service_crashed']);
    await browsers.deleteByID(id);
    const archive = await browsers.telemetry.events(id, {
      category: ['system'],
      since: created_at,
      limit: 1,
    });
    const archived: object[] = [];
    for await (const envelope of archive) archived.push(envelope);
    expect(archived.slice(0, 2)).toMatchObject([
      { seq: 1, event: kill },
      { seq: 2, event: crash },
    ]);
    expect(await browsers.retrieve(id, { include_deleted: true })).toMatchObject({
      session_id: id,
      deleted_at: expect.any(String),
    });
  });

  test('a host that is killed leaves what the next one removes; one that is ended, nothing', async () => {
    const { browsers } = host.client;
    const { session_id: id } = await browsers.create({ headless: true, timeout_seconds: 600 });
    const mark = await browsers.process.exec(id, {
      command: 'sh',
      args: ['-c', 'setsid sleep 98765 >/dev/null 2>&1 & echo $!'],
    });
    expect(mark.exit_code).toBe(0);
    await vi.waitFor(() => {
      expect(psLines().some((line) => line.endsWith('sleep 98765'))).toBe(true);
    }, patience);
    host.child.kill('SIGKILL');
    await host.result;
    expect(psLines().some((line) => line.endsWith('sleep 98765'))).toBe(true);
    host = await startTestHost(folder.path);
    expect(psLines().some((line) => line.endsWith('sleep 98765'))).toBe(false);
    expect(readdirSync(path.join(folder.path, 'sessions'))).toEqual([]);

    const second = await host.client.browsers.create({ headless: true, timeout_seconds: 600 });
    await host.client.browsers.process.spawn(second.session_id, {
      command: 'sleep',
      args: ['98764'],
    });
    const { exitCode, stderr } = await stopTestHost(host);
    expect(exitCode).toBe(0);
    expect(stderr).not.toContain(host.token);
    expect(psLines().some((line) => line.endsWith('sleep 98764'))).toBe(false);
    expect(readdirSync(path.join(folder.path, 'sessions'))).toEqual([]);
  });
});

// The same life where the host behaves like the real server in the VMs.
describe('headroom host --quirks', () => {
  const folder = temporaryFolder();
  let host: TestHost;

  beforeAll(async () => {
    host = await startTestHost(folder.path, '--quirks');
  });

  afterAll(async () => {
    await stopTestHost(host);
    folder[Symbol.dispose]();
  });

  test('the life of a session, with what is lost and repeated there', async () => {
    const { browsers } = host.client;
    const { session_id: id } = await browsers.create({ headless: true, timeout_seconds: 3_600 });
    const free = await browsers.process.exec(id, { command: 'free' });
    expect(decoded(free.stdout_b64)).toMatch(/^ +total +used/);

    // The SDK repeats what failed with a 500: the command runs three times.
    const before = host.requests.length;
    const slow = browsers.process.exec(id, { command: 'sleep', args: ['30'], timeout_sec: 1 });
    await expect(slow).rejects.toMatchObject({ status: 500 });
    expect(host.requests.length - before).toBe(3);

    const sampler = await browsers.process.spawn(id, {
      command: 'sh',
      args: ['-c', 'echo ready; while read x; do echo "got $x"; done'],
    });
    const processId = sampler.process_id ?? '';
    const resizing = browsers.process.resize(processId, { id, rows: 1, cols: 1 });
    await expect(resizing).rejects.toMatchObject({ status: 400 });
    const stream = await browsers.process.stdoutStream(processId, { id });
    const heard: string[] = [];
    for await (const event of stream) {
      if (event.event !== undefined) {
        expect(event).toEqual({ event: 'exit', exit_code: -1 });
        break;
      }
      heard.push(decoded(event.data_b64));
      if (heard.length > 1) {
        await browsers.process.kill(processId, { id, signal: 'KILL' });
        continue;
      }
      const data_b64 = Buffer.from('a\n').toString('base64');
      await browsers.process.stdin(processId, { id, data_b64 });
    }
    expect(heard).toEqual(['ready\n', 'got a\n']);
    // Ten seconds after its end it is forgotten.
    await vi.waitFor(async () => {
      const asking = browsers.process.status(processId, { id });
      const told = await asking.catch((error: unknown) => error);
      expect([404, -1]).toContain(
        Reflect.get(Object(told), 'status') ?? Reflect.get(Object(told), 'exit_code'),
      );
    }, patience);
    await browsers.deleteByID(id);
    expect(readdirSync(path.join(folder.path, 'sessions'))).toEqual([]);
  });
});

/** As `fetch` does not let one ask: any target, any Host. */
function statusOf(url: string, target: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const call = request(url, { path: target, headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    call.on('error', reject).end();
  });
}

/** `pid command line` of every process that is there, read without our own code. */
function psLines(): string[] {
  const listed = execFileSync('ps', ['-ww', '-eo', 'pid=,args='], { encoding: 'utf8' });
  return listed.split('\n').map((line) => line.trim());
}
