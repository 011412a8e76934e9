import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { provideDebianPrograms } from '../../scripts/setup/debian-programs.mjs';
import { readSessionFacts } from '../../src/attach/light/session-facts.ts';
import { startLight } from '../../src/attach/light/start-light.ts';
import { pullRecording } from '../../src/attach/pull-recording.ts';
import { SessionCollector } from '../../src/attach/session-collector.ts';
import { untilRecording } from '../../src/attach/until-recording.ts';
import { errnoOf } from '../../src/model/errors.ts';
import { sdkSession } from '../../src/session/sdk.ts';
import { type ForeignBrowser, startForeignBrowser } from '../support/foreign-browser.ts';
import { runCli, startCli, temporaryFolder } from '../support/headroom-cli.ts';
import { decoded, startTestHost, stopTestHost, type TestHost } from '../support/session-host.ts';

const patience = { timeout: 120_000, interval: 500 };
const mib = 2 ** 20;

// The life of a light recording in a session, in order, over a host that is as bad as the real server;
// what it says of the browser against what the kernel says of the session's cgroup.
const folder = temporaryFolder();
const hostFolder = temporaryFolder();
let host: TestHost;
let id = '';
let stranger: ForeignBrowser;
/** The session's memory cgroup, by the kernel. */
let cgroup = '';

const headroom = (name: string, ...args: string[]) =>
  startCli([name, `kernel:${id}`, ...args], {
    ...process.env,
    KERNEL_API_KEY: host.token,
    KERNEL_BASE_URL: host.url,
  }).result;
/** What is only set up or looked at, by the SDK: that is no matter of this test. */
const inSession = async (script: string) => {
  const command = { command: 'sh', args: ['-c', script] };
  return decoded((await host.client.browsers.process.exec(id, command)).stdout_b64).trim();
};

const packages = await provideDebianPrograms([{ program: 'busybox', package: 'busybox-static' }]);
const busybox = packages.get('busybox') ?? { reason: 'no busybox' };
if ('reason' in busybox) console.error(`TESTS ARE SKIPPED: ${busybox.reason}`);

beforeAll(async () => {
  stranger = await startForeignBrowser();
  host = await startTestHost(hostFolder.path, '--quirks');
  const browser = await host.client.browsers.create({ headless: true, timeout_seconds: 3_600 });
  id = browser.session_id;
  const path = await inSession('sed -n "s/^[0-9]*:memory://p;s/^0:://p" /proc/self/cgroup');
  const mounts = ['/sys/fs/cgroup/memory', '/sys/fs/cgroup'];
  const folders = mounts.map((mount) => `${mount}${path.split('\n')[0]}`);
  cgroup = folders.find((each) => existsSync(`${each}/cgroup.procs`)) ?? '';
  expect(cgroup).toContain(id);
});

afterAll(async () => {
  await stopTestHost(host);
  await stranger.end();
  folder[Symbol.dispose]();
  hostFolder[Symbol.dispose]();
});

test('doctor says what attach would take there and why, and puts nothing there', async () => {
  const { exitCode, stdout } = await headroom('doctor', '--json');
  expect(exitCode).toBe(0);
  const { mode, recorded, memoryLimitBytes, capabilities } = JSON.parse(stdout);
  expect({ mode: mode.mode, recorded, memoryLimitBytes }).toEqual({
    mode: 'light',
    recorded: null,
    memoryLimitBytes: 1_024 * mib,
  });
  expect(mode.why).toContain('1.00 GiB');
  const pressure = existsSync('/proc/pressure/memory') ? 'ok' : 'no';
  expect(capabilities).toContainEqual(
    expect.objectContaining({ name: 'pressure', status: pressure }),
  );
  expect(await inSession('ls -A "$TMPDIR"')).not.toContain('headroom');
});

test('attach takes the light sampler where it is asked for, and one only', async () => {
  const wish = [
    '--mode',
    'light',
    '--interval',
    '200ms',
    '--label',
    'run=1',
    '--label',
    'by=light',
  ];
  expect(await headroom('attach', '--detach', ...wish)).toMatchObject({
    exitCode: 0,
    stderr: expect.stringMatching(/^the light sampler for .+: as asked for\nrecording in kernel:/),
  });
  const pid = await inSession('cat "$TMPDIR/headroom/pid"');
  const again = await headroom('attach', '--detach');
  expect(again).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('already') });
  expect(await inSession('cat "$TMPDIR/headroom/pid"')).toBe(pid);
});

test('killed, it is fetched, refused in another mode, and goes on in its own', async () => {
  await inSession('kill -9 "$(cat "$TMPDIR/headroom/pid")"');
  const out = folder.file('killed.db');
  expect(await headroom('pull', '--out', out)).toMatchObject({ exitCode: 0 });
  expect(await runCli('verify', out)).toMatchObject({ exitCode: 0 });
  const refused = await headroom('attach', '--detach', '--mode', 'node');
  expect(refused.stderr).toContain('[COLLECTOR_FAILED]');
  const goesOn = await headroom('attach', '--detach', '--interval', '200ms', '--label', 'run=2');
  expect(goesOn).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('as it was begun') });
});

// Held still, so that what is read at one moment is true at the other as well.
test('the processes and the working set are those that the kernel has', async () => {
  const held = await holdBrowser();
  try {
    await vi.waitFor(async () => {
      const out = folder.file('held.db');
      rmSync(out, { force: true });
      const before = workingSetBytes();
      expect(await headroom('pull', '--out', out)).toMatchObject({ exitCode: 0 });
      const after = workingSetBytes();
      const { processes, curve } = await reportOf(out);
      expect(browserProcesses(processes, held)).toEqual(held.map(({ place }) => place).sort());
      expect(processes).toContainEqual(
        expect.objectContaining({ pid: stranger.pid, role: 'browser', inSession: false }),
      );
      const recorded = new Map(processes.map((each: Recorded) => [each.pid, each.lastRssBytes]));
      // A row is stored when the RSS moved by 256 KiB or 1/256: docs/schema.md.
      const off = held.filter(({ pid, rssBytes }) => {
        return !(Math.abs(Number(recorded.get(pid) ?? Number.NaN) - rssBytes) <= mib);
      });
      expect(off).toEqual([]);
      // The sampler and the commands of this test are charged to it as well, and the kernel counts what
      // it charges in lots of each processor.
      const last = curve.workingSetBytes.at(-1) ?? Number.NaN;
      expect(last).toBeGreaterThan(Math.min(before, after) - 16 * mib);
      expect(last).toBeLessThan(Math.max(before, after) + 16 * mib);
    }, patience);
  } finally {
    for (const { pid } of held) send('SIGCONT', pid);
  }
});

test('stop brings all of it home, and nothing is left there', async () => {
  const out = folder.file('task.db');
  expect(await headroom('stop', '--out', out)).toMatchObject({ exitCode: 0 });
  const verified = await runCli('verify', out);
  expect(verified).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('restart') });
  expect((await reportOf(out)).session).toMatchObject({
    source: 'kernel',
    endReason: 'signal',
    labels: { run: '2', by: 'light' },
  });
  expect(await inSession('ls -A "$TMPDIR"')).not.toContain('headroom');
  await vi.waitFor(() => {
    expect(members().filter(({ executable }) => !isBrowser(executable))).toEqual([]);
  }, patience);
});

// Which one it takes is decided by what a session has; here it is told that others are missing.
const shells: [string, string | null][] = [
  ['sh and grep', null],
  ['busybox', 'path' in busybox ? busybox.path : null],
];
test.each(shells.filter(([name, path]) => name !== 'busybox' || path !== null))(
  'without perl and bash %s records there, from start to stop',
  async (name, path) => {
    const { collector } = await SessionCollector.locate(sdkSession(host.client, id));
    const facts = await readSessionFacts(collector, 'node');
    const programs = { perl: null, bash: null, busybox: path, node: null };
    const request = { sessionId: randomUUID(), source: 'kernel', intervalMs: 200, labels: {} };
    const asked = { ...request, nodePath: 'node' };
    expect(await startLight(collector, asked, { ...facts, programs })).toBe(name);
    await untilRecording(collector, new AbortController().signal);
    await collector.stop();
    const out = folder.file(`${name}.db`);
    await pullRecording(collector, out);
    await collector.remove();
    expect(await runCli('verify', out)).toMatchObject({ exitCode: 0 });
    const { session, processes } = await reportOf(out);
    expect(session).toMatchObject({ id: request.sessionId, endReason: 'signal' });
    const browser = members().find(({ executable }) => isBrowser(executable));
    expect(processes).toContainEqual(
      expect.objectContaining({ pid: browser?.pid, browserPid: browser?.pid, inSession: true }),
    );
    expect(processes).toContainEqual(
      expect.objectContaining({ pid: stranger.pid, role: 'browser', inSession: false }),
    );
    expect(await inSession('ls -A "$TMPDIR"')).not.toContain('headroom');
  },
);

/** As `report --format json` has it. */
interface Recorded {
  pid: number;
  startTicks: number;
  parentPid: number;
  browserPid: number | null;
  comm: string;
  exit: object | null;
  isZombie: boolean;
  lastRssBytes: number | null;
}

interface KernelProcess {
  pid: number;
  /** Pid, start, parent and name. */
  place: string;
  state: string;
  rssBytes: number;
  executable: string;
}

const isBrowser = (executable: string) => /chrom|headless_shell/.test(executable);

/**
 * What the recording has of the browser, by pid, and what it takes for that; there are others on the
 * machine. Whose a crash handler is it can only tell by the time, so that those go by pid.
 */
function browserProcesses(
  processes: readonly Recorded[],
  held: readonly KernelProcess[],
): string[] {
  const pids = new Set(held.map(({ pid }) => pid));
  return processes
    .filter(({ exit, isZombie }) => exit === null && !isZombie)
    .filter(({ pid, comm, browserPid }) => {
      const isHandler = comm.startsWith('chrome_crashpad');
      return pids.has(pid) || (!isHandler && browserPid !== null);
    })
    .map(({ pid, startTicks, parentPid, comm }) => `${pid} ${startTicks} ${parentPid} ${comm}`)
    .sort();
}

/** Stops the processes of the browser, all of them, so that what is said of them stays true. */
async function holdBrowser(): Promise<KernelProcess[]> {
  return await vi.waitFor(() => {
    const browser = members().filter(({ executable }) => isBrowser(executable));
    for (const { pid } of browser) send('SIGSTOP', pid);
    expect(browser.length).toBeGreaterThan(3);
    expect(new Set(browser.map(({ state }) => state))).toEqual(new Set(['T']));
    return browser;
  }, patience);
}

/** What is in the session's cgroup at this moment, by proc_pid_stat(5) and proc_pid_statm(5). */
function members(): KernelProcess[] {
  const pids = readFileSync(`${cgroup}/cgroup.procs`, 'utf8').split('\n').filter(Boolean);
  return pids.flatMap((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
      const comm = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
      const statm = readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return [
        {
          pid: Number(pid),
          place: `${pid} ${fields[19]} ${fields[1]} ${comm}`,
          state: fields[0] ?? '',
          rssBytes: Number(statm[1]) * 4096,
          executable: readlinkSync(`/proc/${pid}/exe`),
        },
      ];
    } catch (error) {
      // It has just ended.
      if (errnoOf(error) === null) throw error;
      return [];
    }
  });
}

/** What is charged to it, without the file pages that have not been used for long. */
function workingSetBytes(): number {
  const isV1 = existsSync(`${cgroup}/memory.usage_in_bytes`);
  const charged = readFileSync(`${cgroup}/memory.${isV1 ? 'usage_in_bytes' : 'current'}`, 'utf8');
  const stat = readFileSync(`${cgroup}/memory.stat`, 'utf8');
  const key = isV1 ? 'total_inactive_file' : 'inactive_file';
  return Number(charged) - Number(new RegExp(`^${key} (\\d+)$`, 'm').exec(stat)?.[1]);
}

function send(signal: NodeJS.Signals, pid: number): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (errnoOf(error) !== 'ESRCH') throw error;
  }
}

async function reportOf(file: string) {
  return JSON.parse((await runCli('report', file, '--format', 'json')).stdout);
}
