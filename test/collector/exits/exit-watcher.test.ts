import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ExitWatcher, type ExitWatcherOptions } from '../../../src/collector/exits/exit-watcher.ts';

function start(options: ExitWatcherOptions): ExitWatcher {
  const watcher = ExitWatcher.start(options);
  onTestFinished(() => watcher.close());
  return watcher;
}

function reasonOf(watcher: ExitWatcher): Promise<string> {
  return vi.waitFor(() => watcher.unavailableReason ?? expect.fail('no reason yet'), 60_000);
}

describe('a reason instead of an exception', () => {
  test.each([
    ['no perl', { perlPath: '/nonexistent/perl' }, '/nonexistent/perl: ENOENT'],
    ['no program', { perlPath: '/etc/passwd' }, '/etc/passwd: EACCES'],
    ['a crash', { script: 'kill 9, $$; sleep 9' }, 'the helper ended (SIGKILL)'],
    ['an early end', { script: 'exit 3' }, 'the helper ended (exit code 3)'],
    ['no permission', { script: 'print "failed bind 1\n"' }, 'bind: EPERM (needs root, or'],
    ['no connector', { script: 'print "failed socket 93\n"' }, 'socket: EPROTONOSUPPORT (a kernel'],
    ['a container', { script: 'print "failed answer 0\n"' }, 'answer (not told in the pid'],
    ['anything else', { script: 'print "failed listen 12\n"' }, 'listen: ENOMEM'],
  ])('%s', async (_name, options, reason) => {
    const watcher = start(options);
    expect(await reasonOf(watcher)).toMatch(reason);
    expect(watcher.drain(0, 0)).toEqual([]);
  });

  test('a script that is too long for a command line', async () => {
    const watcher = start({ script: '#'.repeat(200_000) });
    expect(await reasonOf(watcher)).toBe('/usr/bin/perl: E2BIG');
  });
});

test('times by both clocks, in order', async () => {
  const watcher = start({ script: 'print "ready\nexit 7 768 5250500000\nexit 8 9 5251000000\n"' });
  await reasonOf(watcher);
  expect(watcher.drain(5_300, 1_796_000_000_000)).toEqual([
    { pid: 7, exitCode: 3, signal: null, timeUnixMs: 1_795_999_999_950.5, monotonicMs: 5_250.5 },
    {
      pid: 8,
      exitCode: null,
      signal: 'SIGKILL',
      timeUnixMs: 1_795_999_999_951,
      monotonicMs: 5_251,
    },
  ]);
});

test('noise is counted', async () => {
  const watcher = start({ script: 'print map { chr(int rand 256), "\n" } 1 .. 500' });
  await reasonOf(watcher);
  expect(watcher.drain(0, 0)).toEqual([]);
  expect(watcher.counters.malformed).toBeGreaterThanOrEqual(500);
});

test('a flood is read in bounded memory, and counted', async () => {
  const watcher = start({ script: 'print "exit 1 0 1\n" x 100_000' });
  await vi.waitFor(() => expect(watcher.counters.dropped).toBe(100_000 - 8192), 60_000);
  expect(watcher.drain(0, 0)).toHaveLength(8192);
});

test('closing ends the helper, twice is once', async () => {
  const watcher = ExitWatcher.start({ script: 'sleep 600' });
  watcher.close();
  watcher.close();
  expect(await reasonOf(watcher)).toBe('the helper ended (SIGTERM)');
});
