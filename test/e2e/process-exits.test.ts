import { execFileSync, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { exitHelperScript } from '../../src/collector/exits/exit-helper.ts';
import {
  type ExitNotice,
  ExitWatcher,
  type ExitWatcherOptions,
} from '../../src/collector/exits/exit-watcher.ts';
import { temporaryFolder } from '../support/headroom-cli.ts';

const folder = temporaryFolder();
const watcherModule = new URL('../../src/collector/exits/exit-watcher.ts', import.meta.url).href;
const patience = { timeout: 120_000, interval: 20 };

afterAll(() => folder[Symbol.dispose]());

function drain(watcher: ExitWatcher): ExitNotice[] {
  return watcher.drain(Number(process.hrtime.bigint()) / 1e6, Date.now());
}

/** Resolves when ends are told; rejects when they are not. */
async function startWatcher(options: ExitWatcherOptions = {}): Promise<ExitWatcher> {
  const watcher = ExitWatcher.start(options);
  const ended = new Set<number>();
  try {
    await vi.waitFor(() => {
      const isHeard = drain(watcher).some(({ pid }) => ended.has(pid));
      ended.add(spawnSync('true').pid);
      watcher.hurry();
      expect(isHeard).toBe(true);
    }, patience);
  } catch (error) {
    watcher.close();
    throw error;
  }
  return watcher;
}

describe('ends of processes that are not ours', () => {
  let watcher: ExitWatcher;
  beforeAll(async () => {
    watcher = await startWatcher();
  });
  afterAll(() => watcher.close());

  test('exit codes and signals, exactly', async () => {
    const commands = [
      'exit 0',
      'exit 3',
      'exit 137',
      'kill -9 $$',
      'kill -SEGV $$',
      'kill -TRAP $$',
    ];
    const shell = commands.map((command) => `sh -c '${command}' & echo $!`).join('\n');
    const startedUnixMs = Date.now();
    const printed = execFileSync('sh', ['-c', `${shell}\nwait`], { encoding: 'utf8' });
    const pids = printed.trim().split('\n').map(Number);
    expect(pids).toHaveLength(commands.length);

    const notices = new Map<number, ExitNotice>();
    await vi.waitFor(() => {
      for (const notice of drain(watcher)) notices.set(notice.pid, notice);
      expect([...notices.keys()]).toEqual(expect.arrayContaining(pids));
    }, patience);
    const ends = pids.map((pid) => notices.get(pid));
    expect(ends).toMatchObject([
      { exitCode: 0, signal: null },
      { exitCode: 3, signal: null },
      { exitCode: 137, signal: null },
      { exitCode: null, signal: 'SIGKILL' },
      { exitCode: null, signal: 'SIGSEGV' },
      { exitCode: null, signal: 'SIGTRAP' },
    ]);
    for (const end of ends) {
      expect(end?.timeUnixMs).toBeGreaterThan(startedUnixMs - 50);
      expect(end?.timeUnixMs).toBeLessThanOrEqual(Date.now());
    }
    expect(watcher.counters).toEqual({ overruns: 0, dropped: 0, malformed: 0 });
    expect(watcher.unavailableReason).toBeNull();
  });

  test('three hundred at once, none lost', async () => {
    const script =
      'for (1 .. 300) { my $pid = fork // die; exit $_ % 256 unless $pid; print "$pid\n" }';
    const printed = execFileSync('perl', ['-e', `$| = 1; ${script} 1 while wait > 0`], {
      encoding: 'utf8',
    });
    const expected = printed
      .trim()
      .split('\n')
      .map((pid, at) => [Number(pid), (at + 1) % 256]);
    const told = new Map<number, number | null>();
    await vi.waitFor(() => {
      for (const { pid, exitCode } of drain(watcher)) told.set(pid, exitCode);
      expect(expected.filter(([pid = 0]) => !told.has(pid))).toEqual([]);
    }, patience);
    expect(expected.map(([pid = 0]) => [pid, told.get(pid)])).toEqual(expected);
    expect(watcher.counters).toEqual({ overruns: 0, dropped: 0, malformed: 0 });
  });

  test('threads are not told', async () => {
    const script =
      "const { Worker } = require('worker_threads'); new Worker('0', { eval: true }).on('exit', () => process.exit(4))";
    const { pid } = spawnSync(process.execPath, ['-e', script]);
    const notices: ExitNotice[] = [];
    await vi.waitFor(() => {
      notices.push(...drain(watcher));
      expect(notices.map((notice) => notice.pid)).toContain(pid);
    }, patience);
    const own = notices.filter((notice) => notice.pid === pid);
    expect(own).toEqual([expect.objectContaining({ exitCode: 4, signal: null })]);
  });
});

test('what is gathered is told when asked for', async () => {
  const script = exitHelperScript.replace('undef, 1;', 'undef, 3600;');
  const watcher = await startWatcher({ script });
  onTestFinished(() => watcher.close());
  const { pid } = spawnSync('true');
  watcher.hurry();
  await vi.waitFor(() => {
    expect(drain(watcher)).toContainEqual(expect.objectContaining({ pid, exitCode: 0 }));
  }, patience);
});

test('what the kernel had to drop is counted', async () => {
  // Room for a dozen messages while the helper reads, far from enough for 300 ends while it does not.
  const script = exitHelperScript.replace('2 << 20', '8192');
  const watcher = await startWatcher({ script });
  onTestFinished(() => watcher.close());
  const helper = await helperOf(process.pid);
  process.kill(helper, 'SIGSTOP');
  execFileSync('perl', ['-e', 'for (1 .. 300) { exit unless fork } 1 while wait > 0']);
  process.kill(helper, 'SIGCONT');
  await vi.waitFor(() => expect(watcher.counters.overruns).toBeGreaterThan(0), patience);
  expect(watcher.unavailableReason).toBeNull();
});

describe('the helper', () => {
  test('dies with a recorder that is killed', async () => {
    const script = `import { ExitWatcher } from '${watcherModule}'; ExitWatcher.start(); setInterval(() => {}, 1000);`;
    const recorder = spawn(
      process.execPath,
      ['--import', 'tsx', '--input-type=module', '-e', script],
      { stdio: 'inherit' },
    );
    onTestFinished(() => void recorder.kill('SIGKILL'));
    const helper = await helperOf(recorder.pid);
    recorder.kill('SIGKILL');
    await vi.waitFor(() => expect(isRunning(helper)).toBe(false), patience);
  });

  test('dies when its watcher is closed', async () => {
    const watcher = ExitWatcher.start();
    const helper = await helperOf(process.pid);
    watcher.close();
    await vi.waitFor(() => expect(isRunning(helper)).toBe(false), patience);
  });

  test('does not keep its recorder running, and dies with it', () => {
    const script = `import { ExitWatcher } from '${watcherModule}'; ExitWatcher.start();`;
    const { status, signal } = spawnSync(
      process.execPath,
      ['--import', 'tsx', '--input-type=module', '-e', script],
      { timeout: 90_000 },
    );
    expect([status, signal]).toEqual([0, null]);
  });
});

// In a container the pids of the connector are those of another namespace: better nothing.
test.each([
  ['network namespace', '--net', 'listen: ECONNREFUSED'],
  ['pid namespace', '--pid --fork --kill-child', 'answer'],
  ['user namespace', '--user', 'answer'],
])('in a %s of its own it says why not', async (_name, flags, reason) => {
  const perlPath = folder.file(`perl${flags.replaceAll(' ', '')}`);
  fs.writeFileSync(perlPath, `#!/bin/sh\nexec unshare ${flags} /usr/bin/perl "$@"\n`, {
    mode: 0o755,
  });
  // Another listener, whose messages everyone in the group gets.
  const other = await startWatcher();
  const watcher = ExitWatcher.start({ perlPath });
  onTestFinished(() => {
    other.close();
    watcher.close();
  });
  await vi.waitFor(() => expect(watcher.unavailableReason).toContain(reason), patience);
  expect(drain(watcher)).toEqual([]);
});

/** The one helper of a process: it has its name, and none from before is still dying. */
function helperOf(parent: number | undefined): Promise<number> {
  return vi.waitFor(() => {
    const { stdout } = spawnSync('pgrep', ['-P', String(parent), '-x', 'headroom-exits'], {
      encoding: 'utf8',
    });
    expect(stdout).toMatch(/^\d+\n$/);
    return Number(stdout);
  }, patience);
}

/** False for a zombie as well: an orphan is reaped by whoever is pid 1 here. */
function isRunning(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout !== '' && !stdout.startsWith('Z');
}
