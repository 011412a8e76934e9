import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test, vi } from 'vitest';
import { AlertActions } from '../../src/cli/alert-actions.ts';
import type { AlertOptions } from '../../src/cli/record-options.ts';
import type { Alert } from '../../src/collector/alerts/alert-watch.ts';
import { temporaryFolder } from '../support/headroom-cli.ts';

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

const alert: Alert = {
  rule: { text: 'headroom<200MiB', metric: 'headroom', threshold: 209_715_200, unit: 'bytes' },
  timeUnixMs: 1_795_960_800_000,
  value: 104_857_600,
  availableBytes: 104_857_600,
  limitBytes: 1_048_576_000,
  largest: { pid: 7, role: 'renderer', anonBytes: 5 },
  message: 'headroom<200MiB: $(touch /tmp/never) `x` "y"',
};
const hurry = new AbortController().signal;

function actions(alerts: Partial<AlertOptions>) {
  const said: string[] = [];
  const stderr = { write: (text: string) => said.push(text) } as unknown as NodeJS.WritableStream;
  const made = new AlertActions(
    {
      alerts: { rules: [], run: null, webhook: null, ...alerts },
      sessionId: 'session-1',
      out: 'task.db',
      labels: { workload: 'checkout' },
    },
    { stderr, env: { PATH: process.env['PATH'] } },
  );
  return { made, said };
}

async function serve(answer: (request: IncomingMessage, body: string) => number | null) {
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (part: string) => {
      body += part;
    });
    request.on('end', () => {
      const status = answer(request, body);
      if (status !== null) response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    [Symbol.dispose]: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

test('a line on stderr, whatever else', () => {
  const { made, said } = actions({});
  made.tell(alert);
  expect(said).toEqual([`alert ${alert.message}\n`]);
});

test('a command has the facts in its environment, and none of them as shell text', async () => {
  const out = folder.file('facts');
  const { made, said } = actions({ run: `env | grep ^HEADROOM_ALERT_ | sort > ${out}` });
  made.tell(alert);
  await made.finish(hurry);
  expect(readFileSync(out, 'utf8').trim().split('\n')).toEqual([
    'HEADROOM_ALERT_AVAILABLE_BYTES=104857600',
    'HEADROOM_ALERT_FILE=task.db',
    'HEADROOM_ALERT_LARGEST_BYTES=5',
    'HEADROOM_ALERT_LARGEST_PID=7',
    'HEADROOM_ALERT_LARGEST_ROLE=renderer',
    'HEADROOM_ALERT_LIMIT_BYTES=1048576000',
    `HEADROOM_ALERT_MESSAGE=${alert.message}`,
    'HEADROOM_ALERT_METRIC=headroom',
    'HEADROOM_ALERT_RULE=headroom<200MiB',
    'HEADROOM_ALERT_SESSION_ID=session-1',
    'HEADROOM_ALERT_THRESHOLD=209715200',
    'HEADROOM_ALERT_TIME_UNIX_MS=1795960800000',
    'HEADROOM_ALERT_UNIT=bytes',
    'HEADROOM_ALERT_VALUE=104857600',
  ]);
  expect(existsSync('/tmp/never')).toBe(false);
  expect(said).toHaveLength(1);
});

test('a command that fails is said; no more than four go on at a time', async () => {
  const failing = actions({ run: 'exit 3' });
  failing.made.tell(alert);
  await failing.made.finish(hurry);
  expect(failing.said.at(-1)).toBe('--alert-run: the command ended with 3\n');

  const gate = folder.file('gate');
  const many = actions({ run: `while [ ! -e ${gate} ]; do sleep 0.1; done` });
  for (let index = 0; index < 6; index++) many.made.tell(alert);
  expect(many.said.filter((line) => line.includes('left out'))).toHaveLength(2);
  writeFileSync(gate, '');
  await many.made.finish(hurry);
});

test('a command that goes on when the recording has ended is ended with its process group, and said', async () => {
  const toldOff =
    '--alert-run: the command still ran after the recording, and was ended with its process group\n';
  for (const [name, stop, longestMs] of [
    ['hurry', AbortSignal.abort(), undefined],
    ['patience', hurry, 1],
  ] as const) {
    const pids = folder.file(name);
    const { made, said } = actions({
      run: `sleep 600 & echo "$$ $!" > ${pids}.part; mv ${pids}.part ${pids}; wait`,
    });
    made.tell(alert);
    await vi.waitFor(() => expect(existsSync(pids)).toBe(true), { timeout: 60_000 });
    await made.finish(stop, longestMs);
    expect(said.slice(1)).toEqual([toldOff]);
    for (const pid of readFileSync(pids, 'utf8').trim().split(' ')) {
      await vi.waitFor(() => expect(isRunning(pid)).toBe(false), { timeout: 60_000 });
    }
    expect(said.slice(1)).toEqual([toldOff]);
  }
});

/** A zombie that nobody has fetched yet does not run. */
function isRunning(pid: string): boolean {
  if (!existsSync(`/proc/${pid}`)) return false;
  const { status, stdout } = spawnSync('ps', ['-o', 'stat=', '-p', pid], { encoding: 'utf8' });
  return status === 0 && !stdout.startsWith('Z');
}

test('a webhook gets the facts as JSON', async () => {
  const bodies: unknown[] = [];
  using server = await serve((request, body) => {
    bodies.push([request.method, request.headers['content-type'], JSON.parse(body)]);
    return 204;
  });
  const { made, said } = actions({ webhook: server.url });
  made.tell(alert);
  await made.finish(hurry);
  expect(bodies).toEqual([
    [
      'POST',
      'application/json',
      expect.objectContaining({
        schemaVersion: 1,
        rule: 'headroom<200MiB',
        value: 104_857_600,
        largestPid: 7,
        sessionId: 'session-1',
        labels: { workload: 'checkout' },
      }),
    ],
  ]);
  expect(said).toHaveLength(1);
});

test('a webhook that refuses is said, and one that never answers is left at the end', async () => {
  using refusing = await serve(() => 500);
  const refused = actions({ webhook: refusing.url });
  refused.made.tell(alert);
  await refused.made.finish(hurry);
  expect(refused.said.at(-1)).toMatch(/^--alert-webhook: 127\.0\.0\.1:\d+: status 500\n$/);

  using silent = await serve(() => null);
  const waiting = actions({ webhook: silent.url });
  waiting.made.tell(alert);
  const stop = new AbortController();
  const finished = waiting.made.finish(stop.signal);
  stop.abort();
  await finished;
});
