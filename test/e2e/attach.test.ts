import { readdirSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { runCli, startCli, temporaryFolder } from '../support/headroom-cli.ts';
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

test('attach starts one collector, however often it is called', async () => {
  const attached = await headroom('attach', '--detach', '--interval', '200ms').result;
  expect(attached).toMatchObject({ exitCode: 0, stderr: `recording in kernel:${id}\n` });
  const pid = await collectorPid();
  const again = await headroom('attach', '--detach').result;
  expect(again).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('already') });
  expect(await collectorPid()).toBe(pid);
});

test('after kill -9 every committed tick comes home, in a file that is whole', async () => {
  const recorded = recordingInSession();
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

test('attach goes on with it, and Ctrl-C brings all of it home and leaves nothing there', async () => {
  const before = ticks(folder.file('killed.db'));
  const out = folder.file('task.db');
  const { child, result } = headroom('attach', '--out', out, '--interval', '200ms');
  const isRecording = new Promise<void>((resolve, reject) => {
    child.stderr?.on('data', (text: string) => {
      if (text.includes('recording in')) resolve();
    });
    void result.then(({ stderr }) => reject(new Error(`attach ended: ${stderr}`)));
  });
  await isRecording;
  const recorded = recordingInSession();
  await vi.waitFor(
    () => expect(ticks(recorded).length).toBeGreaterThan(before.length + 3),
    patience,
  );
  child.kill('SIGINT');
  expect(await result).toMatchObject({ exitCode: 0, signal: null });
  expect(ticks(out).slice(0, before.length)).toEqual(before);
  // On a loaded machine there may be other gaps as well.
  const verified = await runCli('verify', out);
  expect(verified).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('restart') });
  const left = await headroom('exec', '--', 'sh', '-c', 'ls "$TMPDIR"').result;
  expect(left.stdout).not.toContain('headroom');
});

function recordingInSession(): string {
  const names = readdirSync(hostFolder.path, { recursive: true, encoding: 'utf8' });
  const name = names.find((each) => each.endsWith('headroom/recording.db'));
  return path.join(hostFolder.path, name ?? 'none');
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
