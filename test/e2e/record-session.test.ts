import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { recordSession } from '../../src/attach/record-session.ts';
import type { SdkClient } from '../../src/session/sdk.ts';
import { openRecording } from '../../src/store/reader.ts';
import { runCli, runNode, temporaryFolder } from '../support/headroom-cli.ts';
import { startTestHost, stopTestHost, type TestHost } from '../support/session-host.ts';

const project = fileURLToPath(new URL('../..', import.meta.url));
const folder = temporaryFolder();
const hostFolder = temporaryFolder();
let host: TestHost;

beforeAll(async () => {
  host = await startTestHost(hostFolder.path, '--quirks');
});

afterAll(async () => {
  await stopTestHost(host);
  folder[Symbol.dispose]();
  hostFolder[Symbol.dispose]();
});

// As they stand there, in a project that has both packages.
test('the lines of the README bring the file home, also of a task that throws', async () => {
  host.client satisfies SdkClient;
  const readme = readFileSync(path.join(project, 'README.md'), 'utf8');
  const program = /```js\n([^`]*recordSession[^`]*)```/.exec(readme)?.[1] ?? '';
  mkdirSync(folder.file('node_modules'));
  symlinkSync(project, folder.file('node_modules/headroom'));
  symlinkSync(path.join(project, 'node_modules/@onkernel'), folder.file('node_modules/@onkernel'));
  writeFileSync(folder.file('record.mjs'), program);
  writeFileSync(
    folder.file('task.js'),
    "export async function task(url) { throw new Error('thrown at ' + new URL(url).protocol); }\n",
  );
  const ended = await runNode(['record.mjs'], {
    cwd: folder.path,
    env: { ...process.env, KERNEL_BASE_URL: host.url, KERNEL_API_KEY: host.token },
  });
  expect(ended).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('thrown at ws:') });
  expect(await runCli('verify', folder.file('task.db'))).toMatchObject({ exitCode: 0 });
  const report = JSON.parse(
    (await runCli('report', folder.file('task.db'), '--format', 'json')).stdout,
  );
  expect(report.session).toMatchObject({
    source: 'kernel',
    endReason: 'signal',
    labels: { workload: 'checkout' },
  });
  // The browser is deleted, and nothing is left of it.
  expect((await host.client.browsers.list()).items).toEqual([]);
  const left = readdirSync(hostFolder.path, { recursive: true, encoding: 'utf8' });
  expect(left.filter((name) => /(^|\/)headroom(\/|$)/.test(name))).toEqual([]);
  expect(existsSync(folder.file('task.db-wal'))).toBe(false);
});

test('in a session of 1 GiB it takes the script, and says why', async () => {
  const { client } = host;
  const { session_id: id } = await client.browsers.create({ headless: true, timeout_seconds: 600 });
  const messages: string[] = [];
  const out = folder.file('light.db');
  const onMessage = (message: string) => messages.push(message);
  const recorder = await recordSession(client, id, { out, onMessage });
  await recorder.stop();
  await client.browsers.deleteByID(id);
  expect(messages).toEqual([
    expect.stringMatching(/^the light sampler for .+: the session has 1\.00 GiB of memory, /),
  ]);
  expect(await runCli('verify', out)).toMatchObject({ exitCode: 0 });
  using recording = openRecording(out);
  expect(recording.facts.endReason).toBe('signal');
  expect(recording.events()).toContainEqual(
    expect.objectContaining({ message: expect.stringContaining('by the light sampler') }),
  );
});
