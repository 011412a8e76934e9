import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { errnoOf } from '../../src/model/errors.ts';
import { openRecording } from '../../src/store/reader.ts';
import { headroomMain } from '../support/headroom-cli.ts';

const patience = { timeout: 150_000, interval: 200 };
const nobody = 65_534;

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'headroom-demo-test-'));
  file = path.join(folder, 'demo.db');
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('a session is hosted, recorded from inside, killed, fetched, deleted and explained', async () => {
  const demo = startDemo(['--for', '4s', '--interval', '500ms', '--json']);
  const link = await said(demo, /look at it live: (\S+)\//);
  const list = await (await fetch(`${new URL(link).origin}/api/recordings`)).json();
  expect(list).toMatchObject({ recordings: [{ name: 'recording.db' }] });
  const { exitCode, stdout, stderr } = await demo.ended;
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
  const answer = JSON.parse(stdout);
  const page = path.join(folder, 'demo.html');
  expect(answer).toMatchObject({ schemaVersion: 1, recording: file, page });
  expect(readdirSync(folder).sort()).toEqual(['demo.db', 'demo.html']);

  using recording = openRecording(file);
  expect(recording.facts).toMatchObject({ source: 'kernel', labels: { workload: 'demo' } });
  expect(readFileSync(page, 'utf8')).toContain(recording.facts.id);
  const roles = recording.processes().map(({ role }) => role);
  // Five tabs and the frame of another site.
  expect(roles.filter((role) => role === 'renderer').length).toBeGreaterThanOrEqual(6);
  await vi.waitFor(() => expect(living(recording.processes())).toEqual([]), patience);

  const isLimited = stderr.includes('limited to 1 GiB by a memory cgroup');
  expect(isLimited).toBe(process.getuid?.() === 0);
  if (!isLimited) return;
  const kills = recording
    .events()
    .filter((event) => event.kind === 'oom_kill')
    .filter(({ beforeStart, cgroup }) => !beforeStart && cgroup?.includes('headroom-host-'));
  expect(kills.length).toBeGreaterThan(0);
  expect(answer).toMatchObject({ verdict: { kind: 'kernel_oom' }, limitBytes: 2 ** 30 });
  expect(stderr).toContain(`OOM kill: the kernel ended pid ${kills[0]?.pid}`);
  for (const root of ['/sys/fs/cgroup', '/sys/fs/cgroup/memory']) {
    expect(existsSync(`${root}${kills[0]?.cgroup}`)).toBe(false);
  }
});

test('without a Chromium the machine is recorded, and that is said', async () => {
  const { exitCode, stdout, stderr } = await startDemo(['--for', '1s', '--interval', '500ms'], {
    env: { PATH: folder, HEADROOM_CHROMIUM: '' },
  }).ended;
  expect(stderr).toContain('No Chromium or Chrome here');
  expect(exitCode).toBe(0);
  expect(stdout).toContain(`headroom report ${file}\n`);
  expect(existsSync(path.join(folder, 'demo.html'))).toBe(true);
  using recording = openRecording(file);
  expect(recording.tickCount()).toBeGreaterThanOrEqual(1);
});

// Where the checkout is only for root, it is done as root.
const canBeNobody =
  process.getuid?.() === 0 &&
  spawnSync(process.execPath, [headroomMain, '--version'], { uid: nobody, gid: nobody }).status ===
    0;

test('an interrupt, of a user who may limit nothing: told so, the file is fetched, nothing is left', async () => {
  if (canBeNobody) chownSync(folder, nobody, nobody);
  const demo = startDemo(['--for', '10m', '--interval', '500ms'], {
    env: { HOME: folder },
    ...(canBeNobody ? { uid: nobody, gid: nobody } : {}),
  });
  await said(demo, /pages open/);
  demo.child.kill('SIGINT');
  const { exitCode, stdout, stderr } = await demo.ended;
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
  if (canBeNobody) expect(stderr).toMatch(/not limited, so that nothing will be killed: .*EACCES/);
  expect(stdout).toContain(`Post-mortem page, in one file: ${path.join(folder, 'demo.html')}`);
  using recording = openRecording(file);
  expect(recording.facts.endReason).toBe('signal');
  await vi.waitFor(() => expect(living(recording.processes())).toEqual([]), patience);
  expect(readdirSync(folder).filter((name) => name.startsWith('headroom-'))).toEqual([]);
});

test('a demo that is killed leaves nothing that the next one does not remove', async () => {
  const demo = startDemo(['--for', '10m']);
  await said(demo, /(in a session of its own)/);
  const session = sessionIn(folder);
  demo.child.kill('SIGKILL');
  await demo.ended;
  expect(demoFolders()).toHaveLength(1);
  // One that is young may still be without its lock.
  for (const name of demoFolders()) utimesSync(path.join(folder, name), 0, 0);
  const next = startDemo(['--out', path.join(folder, 'next.db')], {
    env: { HEADROOM_CHROMIUM: '/bin/ls' },
  });
  expect(await next.ended).toMatchObject({ exitCode: 1 });
  expect(session.isLeft()).toBe(false);
  expect(demoFolders()).toEqual([]);
});

test('Ctrl-C again and again: nothing is left, and the first is answered', async () => {
  const made = path.join(folder, 'made');
  const demo = startDemo(['--for', '10m', '--out', path.join(made, 'demo.db')], { detached: true });
  await said(demo, /(in a session of its own)/);
  const session = sessionIn(folder);
  // As a terminal does it: to everything in the foreground.
  const pressCtrlC = () => process.kill(-(demo.child.pid ?? Number.NaN), 'SIGINT');
  pressCtrlC();
  await said(demo, /(asked to end)/);
  await vi.waitFor(() => {
    if (!demo.written.isOver) pressCtrlC();
    expect(demo.written.isOver).toBe(true);
  }, patience);
  const { exitCode, stderr } = await demo.ended;
  // 0: it was recorded, fetched and explained before it was asked a third time.
  expect([0, 130]).toContain(exitCode);
  expect(stderr.match(/asked to end/g)).toHaveLength(1);
  expect(stderr).not.toContain('INTERNAL');
  expect(session.isLeft()).toBe(false);
  expect(demoFolders()).toEqual([]);
  // Nor a folder for what did not come.
  expect(existsSync(made) ? readdirSync(made) : ['none']).not.toEqual([]);
});

test('what cannot be done is one clear error, before a browser is started', async () => {
  const started = path.join(folder, 'started');
  const broken = path.join(folder, 'broken-chromium');
  writeFileSync(broken, `#!/bin/sh\necho >'${started}'\n`);
  chmodSync(broken, 0o755);
  const env = { HEADROOM_CHROMIUM: broken };
  const empty = await startDemo(['--out='], { env }).ended;
  expect(empty).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--out is empty') });
  writeFileSync(path.join(folder, 'demo.html'), '');
  const taken = await startDemo([], { env }).ended;
  expect(taken).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('[FILE_EXISTS]') });
  const within = await startDemo([`--out=${broken}/demo.db`], { env }).ended;
  expect(within.stderr).toContain('[FILE_NOT_WRITABLE]');
  expect(existsSync(started)).toBe(false);

  rmSync(path.join(folder, 'demo.html'));
  const noBrowser = await startDemo([], { env: { HEADROOM_CHROMIUM: '/bin/ls' } }).ended;
  expect(noBrowser.exitCode).toBe(1);
  expect(noBrowser.stderr).toMatch(/\/bin\/ls did not start: .+ \[COMMAND_FAILED_TO_START\]/);
  expect(readdirSync(folder)).toEqual(['broken-chromium']);
});

interface StartOptions {
  env?: NodeJS.ProcessEnv;
  uid?: number;
  gid?: number;
  detached?: boolean;
}

/** Starts the demo with everything that it makes below the test's own folder. */
function startDemo(args: readonly string[], { env, ...rest }: StartOptions = {}) {
  const out = args.some((arg) => arg.startsWith('--out')) ? [] : ['--out', file];
  const child = spawn(process.execPath, [headroomMain, 'demo', ...out, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, TMPDIR: folder, ...env },
    ...rest,
  });
  const written = { stdout: '', stderr: '', isOver: false };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      written[name] += text;
    });
  }
  const ended = new Promise<{ exitCode: number | null; stdout: string; stderr: string }>(
    (resolve, reject) => {
      child.on('error', reject);
      child.on('close', (exitCode) => {
        written.isOver = true;
        resolve({ exitCode, ...written });
      });
    },
  );
  return { child, ended, written };
}

/** Waits until it has said something; gives the group of the pattern. */
async function said({ written }: ReturnType<typeof startDemo>, pattern: RegExp): Promise<string> {
  return await vi.waitFor(() => {
    const match = pattern.exec(written.stderr);
    if (match === null && written.isOver) throw new Error(`it ended: ${written.stderr}`);
    expect(written.stderr).toMatch(pattern);
    return match?.[1] ?? '';
  }, patience);
}

function demoFolders(): string[] {
  return readdirSync(folder).filter((name) => name.startsWith('headroom-demo-'));
}

/** The one session of the demo that runs: whether a process or the cgroup of it is left. */
function sessionIn(folder: string): { isLeft(): boolean } {
  const [demo = ''] = demoFolders();
  const sessions = path.join(folder, demo, 'sessions');
  const [id = ''] = readdirSync(sessions);
  const { cgroup } = JSON.parse(readFileSync(path.join(sessions, id, 'session.json'), 'utf8'));
  return {
    isLeft: () =>
      (cgroup !== null && existsSync(cgroup)) ||
      readdirSync('/proc').some((pid) => environmentOf(pid).includes(id)),
  };
}

/** Empty of what is no process, has ended, or is somebody else's. */
function environmentOf(pid: string): string {
  try {
    return /^\d+$/.test(pid) ? readFileSync(`/proc/${pid}/environ`, 'utf8') : '';
  } catch (error) {
    if (errnoOf(error) === null) throw error;
    return '';
  }
}

/** The processes of the browser that still run, by the kernel's word. */
function living(
  records: readonly { pid: number; startTicks: number; browserPid: number | null }[],
): number[] {
  const own = records.filter(({ browserPid }) => browserPid !== null);
  expect(own.length).toBeGreaterThan(0);
  return own.flatMap(({ pid, startTicks }) => (startTicksOf(pid) === startTicks ? [pid] : []));
}

/** Fields 3 and 22 of /proc/PID/stat (proc(5)); null when it has ended, also when nobody has asked how. */
function startTicksOf(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? null : Number(fields[19]);
  } catch (error) {
    if (errnoOf(error) === null) throw error;
    return null;
  }
}
