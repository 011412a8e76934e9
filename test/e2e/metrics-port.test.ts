import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { openRecording } from '../../src/store/reader.ts';
import { startCli, temporaryFolder } from '../support/headroom-cli.ts';
import { firstMatch } from '../support/headroom-server.ts';
import { eventually } from '../support/metrics-servers.ts';

const serving = /serving .*: (http:\S+)\/metrics/;

test('record --metrics-port serves the session, and the server goes with the recorder, also kill -9', async () => {
  using folder = temporaryFolder();
  const file = folder.file('a.db');
  const { child, result } = startCli(['record', '--out', file, '--metrics-port', '0']);
  const url = await firstMatch(child.stderr, serving, result);
  const body = await eventually(async () => {
    const text = await (await fetch(`${url}/metrics`)).text();
    return text.includes('headroom_memory_limit_bytes{') ? text : null;
  });
  using recording = openRecording(file);
  const { id, machine } = recording.facts;
  expect(body).toContain(`session_id="${id}"} ${machine.memoryTotalBytes}\n`);
  child.kill('SIGKILL');
  // Its messages go where the recorder's go: the pipe is closed when both are gone.
  await result;
  await expect(fetch(`${url}/metrics`)).rejects.toThrow();
});

test('a recording that ends takes its server with it', async () => {
  using folder = temporaryFolder();
  const options = ['--for', '2s', '--quiet', '--metrics-port', '0'];
  const { child, result } = startCli(['record', '--out', folder.file('a.db'), ...options]);
  const url = await firstMatch(child.stderr, serving, result);
  expect(await result).toMatchObject({ exitCode: 0 });
  await expect(fetch(`${url}/healthz`)).rejects.toThrow();
});

test('a port that is taken is told, and does not keep from recording', async () => {
  using folder = temporaryFolder();
  const taken = createServer();
  const port = await new Promise<number>((resolve) => {
    taken.listen(0, '127.0.0.1', () => {
      const address = taken.address();
      resolve(address === null || typeof address === 'string' ? 0 : address.port);
    });
  });
  const options = ['--for', '3s', '--quiet', '--metrics-port', String(port)];
  const { result } = startCli(['record', '--out', folder.file('a.db'), ...options]);
  const { exitCode, stderr } = await result;
  taken.close();
  expect(exitCode).toBe(0);
  expect(stderr).toContain('another program listens there [ADDRESS_NOT_USABLE]');
  using recording = openRecording(folder.file('a.db'));
  expect(recording.tickCount()).toBeGreaterThanOrEqual(3);
});
