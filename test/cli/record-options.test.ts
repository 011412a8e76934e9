import { describe, expect, test } from 'vitest';
import { UsageError } from '../../src/cli/command.ts';
import { parseArguments } from '../../src/cli/parse-arguments.ts';
import { recordCommand } from '../../src/cli/record.ts';
import { recordOptions } from '../../src/cli/record-options.ts';

/** 2026-11-29T17:04:05Z */
const now = Date.UTC(2026, 10, 29, 17, 4, 5);

function options(args: readonly string[], env: Record<string, string> = {}) {
  return recordOptions(parseArguments(recordCommand, args), env, now);
}

test('without a flag', () => {
  expect(options([])).toMatchObject({
    out: 'headroom-20261129-170405.db',
    intervalMs: 1_000,
    durationMs: null,
    labels: {},
    maxFileBytes: 268_435_456,
    memoryLimitBytes: null,
    otlpEndpoint: null,
    rootPid: null,
    command: null,
    storesCommands: true,
    json: false,
    quiet: false,
  });
  // Random and unguessable: version 4 of RFC 9562.
  expect(options([]).sessionId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-/);
  expect(options([]).sessionId).not.toBe(options([]).sessionId);
});

test('with every flag', () => {
  const args = ['--for', '10m', '--interval', '500ms', '--out', 'a.db', '--label', 'a=1'];
  const more = [
    '--label',
    'b=2',
    '--memory-limit',
    '1GiB',
    '--otlp',
    'http://x:4318',
    '--max-size',
    '64MiB',
  ];
  expect(options([...args, ...more, '--json', '--quiet', '--', 'node', '--x'])).toMatchObject({
    out: 'a.db',
    intervalMs: 500,
    durationMs: 600_000,
    labels: { a: '1', b: '2' },
    maxFileBytes: 67_108_864,
    memoryLimitBytes: 1_073_741_824,
    otlpEndpoint: 'http://x:4318',
    command: ['node', '--x'],
    json: true,
    quiet: true,
  });
  expect(options(['--pid', '4120']).rootPid).toBe(4_120);
  expect(options(['--interval', '100ms']).intervalMs).toBe(100);
  expect(options(['--no-commands']).storesCommands).toBe(false);
  expect(options(['--metrics-port', '0', '--per-process']).perProcess).toBe(20);
  expect(options(['--otlp', 'http://x', '--per-process=5']).perProcess).toBe(5);
});

test('the environment stands in for flags, and flags win', () => {
  const env = { HEADROOM_OUT: '/data/x.db', HEADROOM_INTERVAL: '2s' };
  expect(options([], env)).toMatchObject({ out: '/data/x.db', intervalMs: 2_000 });
  const args = ['--out', 'y.db', '--interval', '3s'];
  expect(options(args, env)).toMatchObject({ out: 'y.db', intervalMs: 3_000 });
  const size = { HEADROOM_MAX_SIZE: '1GiB' };
  expect(options([], size).maxFileBytes).toBe(1_073_741_824);
  expect(options(['--max-size', '8MiB'], size).maxFileBytes).toBe(8_388_608);
  expect(() => options([], { HEADROOM_MAX_SIZE: '1MiB' })).toThrow('HEADROOM_MAX_SIZE takes 4MiB');
});

describe('a flag that makes no sense is a usage error that names it', () => {
  test.each([
    ['interval 0', ['--interval', '0'], '--interval'],
    ['interval of 0 s', ['--interval', '0s'], '--interval'],
    ['interval as a word', ['--interval', 'abc'], '--interval'],
    ['interval below 100 ms', ['--interval', '50ms'], '--interval'],
    ['a duration of 0', ['--for', '0s'], '--for'],
    ['a duration that rounds to 0', ['--for', '0.4ms'], '--for'],
    ['a duration without a unit', ['--for', '10'], '--for'],
    ['a label without =', ['--label', 'workload'], '--label'],
    ['a label without a key', ['--label', '=x'], '--label'],
    ['a limit without a command', ['--memory-limit', '1GiB'], '--memory-limit'],
    ['a limit of 1 KiB', ['--memory-limit', '1KiB', '--', 'node'], '--memory-limit'],
    ['a limit in GB', ['--memory-limit', '1GB', '--', 'node'], '--memory-limit'],
    ['a file of 1 MiB', ['--max-size', '1MiB'], '--max-size'],
    ['an empty file name', ['--out', ''], '--out'],
    ['an endpoint that is no URL', ['--otlp', 'foo'], '--otlp'],
    ['processes that nobody is told', ['--per-process'], '--per-process goes with'],
    ['no process', ['--otlp', 'http://x', '--per-process=0'], '--per-process takes 1 to 1000'],
    ['half a process', ['--otlp', 'http://x', '--per-process=1.5'], '--per-process takes'],
    ['two pids', ['--pid', '1', '--pid', '2'], '--pid'],
    ['pid text', ['--pid', 'chromium'], '--pid'],
    ['pid 0', ['--pid', '0'], '--pid'],
    ['a negative pid', ['--pid=-5'], '--pid takes a process id'],
    ['a negative pid after a blank', ['--pid', '-5'], '--pid takes a process id'],
    ['a negative duration', ['--for', '-5s'], '--for takes a duration'],
    ['a pid with digits after the point', ['--pid', '1.5'], '--pid'],
    ['pid and a command', ['--pid', '1', '--', 'node'], '--pid'],
    ['an unknown flag', ['--intervall', '1s'], '--intervall'],
    ['a missing value', ['--out'], '--out'],
    ['-- without a command', ['--'], '--'],
    ['a command without --', ['node', 'task.js'], '--'],
  ])('%s', (_, args, flag) => {
    expect(() => options(args)).toThrow(UsageError);
    expect(() => options(args)).toThrow(flag);
  });
});

test('what SQLite would take for no file is a file name', () => {
  expect(options(['--out', ':memory:']).out).toBe('./:memory:');
  expect(options([], { HEADROOM_OUT: 'file:a.db' }).out).toBe('./file:a.db');
});
