import { readdirSync, readFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { runCli, startCli, temporaryFolder } from '../support/headroom-cli.ts';
import { decodeJsonRequest } from '../support/otlp-wire.ts';
import { startTestHost, stopTestHost, type TestHost } from '../support/session-host.ts';

const patience = { timeout: 90_000, interval: 500 };

// The life of one recording in a session, in order, over a host that is as bad as the real server.
const folder = temporaryFolder();
const hostFolder = temporaryFolder();
let host: TestHost;
let id = '';

const headroom = (name: string, ...args: string[]) =>
  startCli([name, `kernel:${id}`, ...args], {
    ...process.env,
    KERNEL_API_KEY: host.token,
    KERNEL_BASE_URL: host.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_COMPRESSION: 'none',
    // An answer that comes late is no reason to send again.
    OTEL_EXPORTER_OTLP_TIMEOUT: '60000',
  });
const collectorPid = async () =>
  (await headroom('exec', '--', 'sh', '-c', 'cat "$TMPDIR/headroom/pid"').result).stdout.trim();

beforeAll(async () => {
  host = await startTestHost(hostFolder.path, '--quirks');
  const browser = await host.client.browsers.create({ headless: true, timeout_seconds: 3_600 });
  id = browser.session_id;
});

afterAll(async () => {
  await stopTestHost(host);
  folder[Symbol.dispose]();
  hostFolder[Symbol.dispose]();
});

test('nothing to fetch, and no session', async () => {
  const none = await headroom('pull', '--out', folder.file('none.db')).result;
  expect(none).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('NOT_FOUND]') });
  expect(readdirSync(folder.path)).toEqual([]);
});

test('an attach that is interrupted before it records leaves nothing there', async () => {
  // A Node.js of the session that never comes to record.
  const slow = [
    '#!/bin/sh',
    `case " $* " in *" check "*) exec ${process.execPath} "$@";; esac`,
    'sleep 1234 &',
    'child=$!; trap "kill $child; exit 0" TERM; wait',
  ];
  const put = 'f=$TMPDIR/slow-node; printf "%s\\n" "$@" >"$f"; chmod 755 "$f"; printf %s "$f"';
  const node = (await headroom('exec', '--', 'sh', '-c', put, 'sh', ...slow).result).stdout;
  const attached = headroom(
    ...['attach', '--mode', 'node', '--node', node, '--out', folder.file('none.db')],
  );
  await vi.waitFor(() => expect(namesInSession()).toContain('headroom/started'), patience);
  attached.child.kill('SIGINT');
  const { exitCode, stderr } = await attached.result;
  expect(stderr).toContain('given up before it recorded');
  expect(exitCode).toBe(1);
  await vi.waitFor(() => expect(namesInSession()).not.toMatch(/\/headroom( |\/|$)/), patience);
  expect(readdirSync(folder.path)).toEqual([]);
});

test('attach starts one collector, however often it is called', async () => {
  const label = ['--label', 'secret=unseen'];
  const attached = await headroom(
    'attach',
    '--detach',
    '--mode',
    'node',
    '--interval',
    '200ms',
    ...label,
  ).result;
  expect(attached).toMatchObject({ exitCode: 0, stderr: `recording in kernel:${id}\n` });
  const pid = await collectorPid();
  expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).not.toContain('unseen');
  const again = await headroom('attach', '--detach').result;
  expect(again).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('already') });
  expect(await collectorPid()).toBe(pid);
});

test('after kill -9 every committed tick comes home, in a file that is whole', async () => {
  const recorded = await recordingInSession();
  const committed = await vi.waitFor(() => {
    const found = ticks(recorded);
    expect(found.length).toBeGreaterThan(5);
    return found;
  }, patience);
  await headroom('exec', '--', 'sh', '-c', 'kill -9 "$(cat "$TMPDIR/headroom/pid")"').result;
  const out = folder.file('killed.db');
  expect(await headroom('pull', '--out', out).result).toMatchObject({ exitCode: 0 });
  expect(ticks(out).slice(0, committed.length)).toEqual(committed);
  expect(await runCli('verify', out)).toMatchObject({ exitCode: 0 });
  const refused = await headroom('pull', '--out', out).result;
  expect(refused.stderr).toContain('[FILE_EXISTS]');
});

test('attach goes on with it, also after a kill -9, and Ctrl-C brings it home and leaves nothing', async () => {
  const before = ticks(folder.file('killed.db'));
  const out = folder.file('task.db');
  const attached = headroom(
    ...['attach', '--out', out, '--interval', '200ms', '--pull-every', '1s', '--label', 'run=2'],
  );
  const says = listenTo(attached);
  await says('recording in');
  const pid = await collectorPid();
  await headroom('exec', '--', 'sh', '-c', `kill -9 ${pid}`).result;
  await says('is started again');
  const recorded = await recordingInSession();
  await vi.waitFor(
    () => expect(ticks(recorded).length).toBeGreaterThan(before.length + 3),
    patience,
  );
  attached.child.kill('SIGINT');
  expect(await attached.result).toMatchObject({ exitCode: 0, signal: null });
  expect(ticks(out).slice(0, before.length)).toEqual(before);
  // On a loaded machine there may be other gaps as well.
  const verified = await runCli('verify', out);
  expect(verified).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('restart') });
  const { stdout } = await runCli('report', out, '--format', 'json');
  expect(JSON.parse(stdout).session.labels).toEqual({ run: '2', secret: 'unseen' });
  const left = await headroom('exec', '--', 'sh', '-c', 'ls "$TMPDIR"').result;
  expect(left.stdout).not.toContain('headroom');
});

test('of a session that is deleted the last copy is there, sent to a receiver, nothing of it twice', async () => {
  const points: string[] = [];
  const receiver = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      if (request.url === '/v1/metrics') points.push(...pointKeys(Buffer.concat(chunks)));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const { port } = receiver.address() as AddressInfo;
  const out = folder.file('deleted.db');
  const attached = headroom(
    ...['attach', '--mode', 'node', '--out', out, '--interval', '200ms', '--pull-every', '1s'],
    ...['--json', '--until-deleted', '--otlp', `http://127.0.0.1:${port}`],
  );
  try {
    // Of two copies at least.
    await vi.waitFor(() => expect(new Set(points.map(timeOf)).size).toBeGreaterThan(8), patience);
    await host.client.browsers.deleteByID(id);
    const { exitCode, stdout, stderr } = await attached.result;
    expect(stderr).toContain('the session is gone; ');
    expect(exitCode).toBe(0);
    const recorded = ticks(out) as [number, number][];
    expect(JSON.parse(stdout)).toMatchObject({
      file: out,
      end: 'deleted',
      isComplete: false,
      recordedUntilUnixMs: recorded.at(-1)?.[1],
    });
    expect(await runCli('verify', out)).toMatchObject({ exitCode: 0 });
    const twice = points.filter((key, at) => points.indexOf(key) !== at);
    expect(twice).toEqual([]);
    const sent = new Set(points.filter((key) => key.includes(' system.memory.usage ')).map(timeOf));
    expect(sent).toEqual(new Set(recorded.map(([, timeUnixMs]) => timeUnixMs)));
  } finally {
    receiver.close();
  }
});

/** What a command has said so far, from its start on; rejects what waits for more when it has ended. */
function listenTo({ child, result }: ReturnType<typeof startCli>) {
  let text = '';
  let isOver = false;
  child.stderr?.on('data', (more: string) => {
    text += more;
  });
  void result.then(() => {
    isOver = true;
  });
  return async (words: string): Promise<void> => {
    await vi.waitUntil(() => text.includes(words) || isOver, patience);
    expect(text).toContain(words);
  };
}

function pointKeys(body: Uint8Array): string[] {
  return decodeJsonRequest(body).points.map(
    ({ metric, attributes, timeNanos }) =>
      `${timeNanos / 1_000_000n} ${metric} ${JSON.stringify(attributes)}`,
  );
}

function timeOf(key: string): number {
  return Number(key.split(' ')[0]);
}

// The browser's own files come and go while they are listed.
function recordingInSession(): Promise<string> {
  return vi.waitFor(() => {
    const name = sessionFiles().find((each) => each.endsWith('headroom/recording.db'));
    if (name === undefined) throw new Error('no recording in the session');
    return path.join(hostFolder.path, name);
  }, patience);
}

function namesInSession(): string {
  return sessionFiles().join(' ');
}

function sessionFiles(): string[] {
  return readdirSync(hostFolder.path, { recursive: true, encoding: 'utf8' });
}

/** Read without our own code: time and sequence of each tick in the file. */
function ticks(file: string): unknown[] {
  const db = new Database(file, { readonly: true });
  try {
    return db.prepare('SELECT sequence, time_unix_ms FROM tick ORDER BY sequence').raw().all();
  } finally {
    db.close();
  }
}
