import { readdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { runCli, startCli, temporaryFolder } from '../support/headroom-cli.ts';
import { decoded, startTestHost, stopTestHost, type TestHost } from '../support/session-host.ts';

const patience = { timeout: 120_000, interval: 200 };

// The whole life of one session, with the SDK as its publisher ships it and the recorder beside it: on a
// host with good manners, and on one that is as bad as the real server.
describe.each([
  [[], ['--mode', 'node']],
  [['--quirks'], []],
])('the life of a session, host %j, attach %j', (flags, mode) => {
  const isQuirky = flags.length > 0;
  const folder = temporaryFolder();
  const hostFolder = temporaryFolder();
  let host: TestHost;

  beforeAll(async () => {
    host = await startTestHost(hostFolder.path, ...flags);
  });

  afterAll(async () => {
    await stopTestHost(host);
    folder[Symbol.dispose]();
    hostFolder[Symbol.dispose]();
  });

  test('from create to delete', async () => {
    const { browsers } = host.client;
    const env = {
      ...process.env,
      KERNEL_API_KEY: host.token,
      KERNEL_BASE_URL: host.url,
      HEADROOM_VM_TOKEN: host.token,
    };
    const created = await browsers.create({ headless: true, timeout_seconds: 3_600 });
    const id = created.session_id;

    const attach = ['attach', `kernel:${id}`, '--detach', '--interval', '200ms'];
    const attached = await startCli([...attach, ...mode], env).result;
    expect(attached).toMatchObject({ exitCode: 0 });
    // It has 1 GiB where it may be limited to that, and what does not say how to record takes what fits.
    const isLight = attached.stderr.includes('the light sampler');
    expect(isLight).toBe(mode.length === 0 && process.getuid?.() === 0);

    const free = await browsers.process.exec(id, { command: 'free', args: ['-b'] });
    expect(Number(/^Mem: +(\d+)/m.exec(decoded(free.stdout_b64))?.[1])).toBeGreaterThan(2 ** 28);

    // A sampler that takes a reading for each line of its input.
    const script = 'echo ready; while read x; do free -b | sed -n "s/^Mem: /$x/p"; done';
    const spawned = await browsers.process.spawn(id, { command: 'sh', args: ['-c', script] });
    const sampler = spawned.process_id ?? '';
    const say = (text: string) =>
      browsers.process.stdin(sampler, { id, data_b64: Buffer.from(text).toString('base64') });
    let heard = '';
    for await (const event of await browsers.process.stdoutStream(sampler, { id })) {
      if (event.event !== undefined) break;
      const before = heard;
      heard += decoded(event.data_b64);
      if (!before.includes('ready') && heard.includes('ready')) await say('first\n');
      if (!before.includes('first') && heard.includes('first')) await say('second\n');
      if (/second.*\n/.test(heard)) break;
    }
    expect(heard).toMatch(/^ready\nfirst +\d+ .*\nsecond +\d+ .*\n$/);

    // On a terminal; what it writes there the real server gives to nobody, so it goes into a file.
    const watch =
      'while :; do stty size >/tmp/size.new; mv /tmp/size.new /tmp/size; sleep 0.1; done';
    const terminal = await browsers.process.spawn(id, {
      command: 'sh',
      args: ['-c', watch],
      allocate_tty: true,
      rows: 30,
      cols: 90,
    });
    const size = async () => {
      const read = await browsers.process.exec(id, { command: 'cat', args: ['/tmp/size'] });
      return decoded(read.stdout_b64);
    };
    await vi.waitFor(async () => expect(await size()).toBe('30 90\n'), patience);
    const terminalId = terminal.process_id ?? '';
    await browsers.process.resize(terminalId, { id, rows: 40, cols: 100 });
    await vi.waitFor(async () => expect(await size()).toBe('40 100\n'), patience);

    for (const [process, signal] of [
      [sampler, 'TERM'],
      [terminalId, 'KILL'],
    ] as const) {
      await browsers.process.kill(process, { id, signal });
      await vi.waitFor(async () => {
        const status = await browsers.process
          .status(process, { id })
          .catch((error: unknown) => error);
        const { state, exit_code, signal: told, status: code } = fields(status);
        // The real server names no signal, and forgets what ended ten seconds ago.
        const ends = isQuirky
          ? [{ code: 404 }, { state: 'exited', exit_code: -1 }]
          : [{ state: 'exited', exit_code: null, signal: `SIG${signal}` }];
        expect(ends).toContainEqual(
          code === undefined
            ? { state, exit_code, ...(isQuirky ? {} : { signal: told }) }
            : { code },
        );
      }, patience);
    }

    // By the API of the server inside the VM, which the host serves as well.
    const out = folder.file('life.db');
    const stop = ['stop', `vm:${host.url}/sessions/${id}`, '--out', out];
    expect(await startCli(stop, env).result).toMatchObject({ exitCode: 0 });
    expect(await runCli('verify', out)).toMatchObject({ exitCode: 0 });
    const report = JSON.parse((await runCli('report', out, '--format', 'json')).stdout);
    expect(report.session).toMatchObject({ source: 'kernel', endReason: 'signal' });
    expect(report.browser.processesMax).toBeGreaterThan(2);

    await browsers.deleteByID(id);
    await expect(browsers.retrieve(id)).rejects.toMatchObject({ status: 404 });
    expect(readdirSync(path.join(hostFolder.path, 'sessions'))).toEqual([]);
  });
});

function fields(answer: unknown): Record<string, unknown> {
  return Object(answer);
}
