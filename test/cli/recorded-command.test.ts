import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exitCodeOf, startCommand } from '../../src/cli/recorded-command.ts';

const node = process.execPath;
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'headroom-command-'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const script = (code: string, ...args: string[]) => [node, '-e', code, ...args];

describe('how it ended', () => {
  test.each([
    ['exit code 0', '', { exitCode: 0, signal: null }, 0],
    ['exit code 3', 'process.exit(3)', { exitCode: 3, signal: null }, 3],
    [
      'killed',
      "process.kill(process.pid, 'SIGKILL')",
      { exitCode: null, signal: 'SIGKILL' },
      // As a shell has it: 128 and the signal's number of signal(7).
      137,
    ],
  ])('%s', async (_, code, end, exitCode) => {
    const command = await startCommand(script(code), null);
    expect(await command.ended).toEqual(end);
    expect(exitCodeOf(await command.ended)).toBe(exitCode);
  });

  test('SIGTERM is 143, an end without a reason 1', () => {
    expect(exitCodeOf({ exitCode: null, signal: 'SIGTERM' })).toBe(143);
    expect(exitCodeOf({ exitCode: null, signal: null })).toBe(1);
  });
});

test('arguments arrive unchanged, whatever a shell would make of them', async () => {
  const args = ['a b', '$HOME', '"', '', '*', '--', "it's"];
  const out = path.join(folder, 'args.json');
  const code = `fs.writeFileSync(${JSON.stringify(out)}, JSON.stringify(process.argv.slice(1)))`;
  const command = await startCommand([...script(code, '--'), ...args], null);
  await command.ended;
  expect(JSON.parse(readFileSync(out, 'utf8'))).toEqual(args);
});

test('a signal reaches it', async () => {
  const command = await startCommand(script('setInterval(() => {}, 1000)'), null);
  expect(command.pid).toBeGreaterThan(0);
  command.signal('SIGTERM');
  expect(await command.ended).toEqual({ exitCode: null, signal: 'SIGTERM' });
});

test('with a cgroup the shell puts itself into it and becomes the command', async () => {
  // A plain file in the place of cgroup.procs: who wrote its pid is who runs the command.
  const procs = path.join(folder, 'cgroup.procs');
  const out = path.join(folder, 'pid');
  writeFileSync(procs, '');
  const code = `fs.writeFileSync(process.argv[1], String(process.pid))`;
  const command = await startCommand(script(code, out), procs);
  expect(await command.ended).toEqual({ exitCode: 0, signal: null });
  expect(readFileSync(procs, 'utf8').trim()).toBe(String(command.pid));
  expect(readFileSync(out, 'utf8')).toBe(String(command.pid));
});

describe('a program that cannot be run', () => {
  test('does not exist', async () => {
    await expect(startCommand(['headroom-no-such-program'], null)).rejects.toMatchObject({
      code: 'COMMAND_FAILED_TO_START',
      message: expect.stringContaining('headroom-no-such-program'),
      hint: expect.any(String),
    });
  });

  test('is not executable', async () => {
    const file = path.join(folder, 'text');
    writeFileSync(file, 'text', { mode: 0o644 });
    await expect(startCommand([file], null)).rejects.toMatchObject({
      code: 'COMMAND_FAILED_TO_START',
      message: expect.stringContaining('EACCES'),
    });
  });

  test('none at all is a misuse', async () => {
    await expect(startCommand([], null)).rejects.toThrow(TypeError);
  });
});
