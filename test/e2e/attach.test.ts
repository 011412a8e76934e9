import { readdirSync, readFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type ForeignBrowser, startForeignBrowser } from '../support/foreign-browser.ts';
import { runCli, startCli, temporaryFolder } from '../support/headroom-cli.ts';
import { decodeJsonRequest } from '../support/otlp-wire.ts';
import { startTestHost, stopTestHost, type TestHost } from '../support/session-host.ts';

const patience = { timeout: 120_000, interval: 500 };

// The life of one recording in a session, in order, over a host that is as bad as the real server.
const folder = temporaryFolder();
const hostFolder = temporaryFolder();
let host: TestHost;
let id = '';
/** The attach that stays until the session is deleted, and what it sent. */
let attached: ReturnType<typeof startCli>;
const deleted = folder.file('deleted.db');
const receiver = http.createServer();
const sent = { points: [] as string[], kills: [] as number[] };
const killed: { seen?: number | undefined; unseen?: number | undefined } = {};
let stranger: ForeignBrowser;

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
  stranger = await startForeignBrowser();
  host = await startTestHost(hostFolder.path, '--quirks');
  const browser = await host.client.browsers.create({
    headless: true,
    timeout_seconds: 3_600,
    telemetry: { enabled: true },
  });
  id = browser.session_id;
});

afterAll(async () => {
  await stopTestHost(host);
  receiver.close();
  await stranger.end();
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
  const { session, processes } = JSON.parse(stdout);
  expect(session.labels).toEqual({ run: '2', secret: 'unseen' });
  // Each session has its own browser, and the machine has others.
  expect(processes).toContainEqual(
    expect.objectContaining({ pid: stranger.pid, role: 'browser', browserPid: null }),
  );
  const members = processes.filter(
    (each: { browserPid: number | null }) => each.browserPid !== null,
  );
  expect(new Set(members.map((each: { browserPid: number }) => each.browserPid)).size).toBe(1);
  const left = await headroom('exec', '--', 'sh', '-c', 'ls "$TMPDIR"').result;
  expect(left.stdout).not.toContain('headroom');
});

test('attach sends each copy to a receiver as it comes', async () => {
  attached = headroom(
    ...['attach', '--mode', 'node', '--out', deleted, '--interval', '200ms', '--pull-every', '1s'],
    ...['--json', '--until-deleted', '--otlp', await receiverUrl()],
  );
  // Of two copies at least.
  await vi.waitFor(
    () => expect(new Set(sent.points.map(timeOf)).size).toBeGreaterThan(8),
    patience,
  );
});

test('a kill that telemetry and the collector see is told once, one that only telemetry sees as well', async () => {
  const says = listenTo(attached);
  killed.seen = await runOutOfMemory();
  await says(`OOM kill of dd, pid ${killed.seen}`);
  await vi.waitFor(() => expect(sent.kills).toContain(killed.seen), patience);
  process.kill(Number(await collectorPid()), 'SIGSTOP');
  killed.unseen = await runOutOfMemory();
  await says(`OOM kill of dd, pid ${killed.unseen}`);
});

test('of a session that is deleted the last copy is there, with what telemetry told, and nothing was sent twice', async () => {
  await host.client.browsers.deleteByID(id);
  const { exitCode, stdout, stderr } = await attached.result;
  expect(stderr).toContain('the session is gone; ');
  expect(exitCode).toBe(0);
  const recorded = ticks(deleted) as [number, number][];
  expect(JSON.parse(stdout)).toMatchObject({
    file: deleted,
    end: 'deleted',
    isComplete: false,
    recordedUntilUnixMs: recorded.at(-1)?.[1],
  });
  expect(await runCli('verify', deleted)).toMatchObject({ exitCode: 0 });
  const { points, kills } = sent;
  const twice = points.filter((key, at) => points.indexOf(key) !== at);
  expect(twice).toEqual([]);
  const memory = points.filter((key) => key.includes(' system.memory.usage ')).map(timeOf);
  expect(new Set(memory)).toEqual(new Set(recorded.map(([, timeUnixMs]) => timeUnixMs)));
  // Others are killed on this machine, too.
  const isOurs = (pid: number) => pid === killed.seen || pid === killed.unseen;
  expect(killsIn(deleted).filter(({ pid }) => isOurs(pid))).toEqual([
    { pid: killed.seen, isTold: 0 },
    { pid: killed.unseen, isTold: 1 },
  ]);
  expect(kills.filter(isOurs)).toEqual([killed.seen, killed.unseen]);
});

/** An address that takes OTLP, and keeps what came. */
async function receiverUrl(): Promise<string> {
  receiver.on('request', (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      if (request.url === '/v1/metrics') sent.points.push(...pointKeys(body));
      else sent.kills.push(...toldKills(body.toString('utf8')));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
}

/** Of a process in the session, by the kernel; gives its pid. */
async function runOutOfMemory(): Promise<number | undefined> {
  const args = ['if=/dev/zero', 'of=/dev/null', 'bs=1600M', 'count=1'];
  return (await host.client.browsers.process.spawn(id, { command: 'dd', args })).pid;
}

/** Read without our own code. */
function killsIn(file: string): { pid: number; isTold: number }[] {
  const db = new Database(file, { readonly: true });
  try {
    const sql = `SELECT detail ->> 'pid' AS pid, detail ->> 'context' = 'telemetry' AS isTold
      FROM event WHERE kind = 'oom_kill' AND NOT detail ->> 'beforeStart' ORDER BY event`;
    return db.prepare<[], { pid: number; isTold: number }>(sql).all();
  } finally {
    db.close();
  }
}

/** The pids of the OOM kills in a request of logs. */
function toldKills(body: string): number[] {
  return [...body.matchAll(/the kernel killed pid (\d+) \(dd\)/g)].map(([, pid]) => Number(pid));
}

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
