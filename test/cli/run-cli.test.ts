import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { runCli } from '../../src/cli/run-cli.ts';
import { runCommand } from '../../src/cli/run-command.ts';
import { headroomVersion } from '../../src/model/version.ts';

// Each run adds its handlers to this process, as it would to a process of its own.
const events = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;
const streams = [process.stdout, process.stderr];
let stdout: string;
let stderr: string;
let restore: () => void;

beforeEach(() => {
  stdout = '';
  stderr = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    stdout += String(text);
    return true;
  });
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    stderr += String(text);
    return true;
  });
  const onSignal = events.map((event) => process.listeners(event));
  const onError = streams.map((stream) => stream.listeners('error'));
  restore = () => {
    events.forEach((event, index) => {
      for (const listener of process.listeners(event)) {
        if (!onSignal[index]?.includes(listener)) process.removeListener(event, listener);
      }
    });
    streams.forEach((stream, index) => {
      for (const listener of stream.listeners('error')) {
        if (onError[index]?.includes(listener)) continue;
        stream.removeListener('error', listener as () => void);
      }
    });
  };
});

afterEach(() => {
  vi.restoreAllMocks();
  restore();
});

describe('usage errors: exit code 2, one line that names it, nothing on stdout', () => {
  test.each([
    ['an unknown flag', ['record', '--bogus'], '--bogus'],
    ['a missing value', ['record', '--out'], '--out'],
    ['interval 0', ['record', '--interval', '0'], '--interval'],
    ['interval 50ms', ['record', '--interval', '50ms'], '--interval'],
    ['a label without =', ['record', '--label', 'x'], '--label'],
    ['a limit without a command', ['record', '--memory-limit', '1GiB'], '--memory-limit'],
    ['pid text', ['record', '--pid', 'abc'], '--pid'],
    ['-- without a command', ['record', '--'], '--'],
    ['an unknown command', ['rekord'], '"rekord"'],
  ])('%s', async (_, argv, named) => {
    expect(await runCli(argv)).toBe(2);
    expect(stderr.split('\n')[0]).toContain(named);
    expect(stderr).not.toContain('    at ');
    expect(stdout).toBe('');
  });
});

test('no command at all: the help on stderr, exit code 2', async () => {
  expect(await runCli([])).toBe(2);
  expect(stderr).toContain('Usage:');
  expect(stdout).toBe('');
});

test.each([[['--help']], [['-h']], [['help']]])('%j: the help on stdout', async (argv) => {
  expect(await runCli(argv)).toBe(0);
  expect(stdout).toContain('headroom COMMAND');
  expect(stderr).toBe('');
});

test.each([[['record', '--help']], [['record', '-h']], [['help', 'record']]])(
  '%j: the command’s own page',
  async (argv) => {
    expect(await runCli(argv)).toBe(0);
    expect(stdout).toContain('--interval D');
    expect(stderr).toBe('');
  },
);

test('--help after -- is the recorded command’s and not ours', async () => {
  expect(await runCli(['record', '--interval', '0', '--', 'node', '--help'])).toBe(2);
  expect(stdout).toBe('');
});

test('--version', async () => {
  expect(await runCli(['--version'])).toBe(0);
  expect(stdout).toBe(`${headroomVersion}\n`);
});

test('what the machine refuses: exit code 1, code, message and what to do', async () => {
  // The largest pid that Linux can have, and none that is in use here (PID_MAX_LIMIT).
  expect(await runCli(['record', '--pid', '4194304', '--quiet'])).toBe(1);
  expect(stderr).toContain('[PROCESS_NOT_FOUND]');
  expect(stderr).toContain('4194304');
  expect(stderr).not.toContain('    at ');
  expect(stdout).toBe('');
});

test('a limit of open files is no bug: its name and what to do, and no stack', async () => {
  // As the loader of modules throws it.
  const error = Object.assign(new Error("EMFILE: too many open files, open 'x.js'"), {
    code: 'EMFILE',
  });
  expect(await runCommand({ name: 'report', load: () => Promise.reject(error) }, [])).toBe(1);
  expect(stderr).toBe(
    'headroom report: this process may not have as many files open as it needs (EMFILE) [TOO_MANY_OPEN_FILES]\n' +
      'Raise the limit of open files in this shell and run it again: ulimit -n 1024\n',
  );
  expect(stdout).toBe('');
});
