import { expect, test } from 'vitest';
import { UsageError } from '../../../src/cli/command.ts';
import { parseArguments } from '../../../src/cli/parse-arguments.ts';
import { execCommand } from '../../../src/cli/session/exec.ts';
import { startedCommand, timeoutSeconds } from '../../../src/cli/session/started-command.ts';
import { sessionOf } from '../../../src/cli/session/target.ts';

const parsed = (...args: string[]) => parseArguments(execCommand, args);
const limit = { most: 280, why: '' };

test('what stands after -- is the command, its flags are its own', () => {
  const flags = ['--cwd', '/c', '--env', 'A=b=c', '--env', 'B=', '--as-user', '7:8'];
  expect(startedCommand(parsed(...flags, '--', 'ls', '--cwd', '', 'a b'), [])).toEqual({
    command: ['ls', '--cwd', '', 'a b'],
    cwd: '/c',
    env: { A: 'b=c', B: '' },
    user: '7:8',
  });
  expect(startedCommand(parsed('--as-root', '--', 'ls'), [])).toEqual({
    command: ['ls'],
    user: 'root',
  });
});

test.each([
  ['the command goes after --', ['--', 'ls'], ['ls']],
  ['which command', ['--'], []],
  ['an absolute path', ['--cwd', 'c', '--', 'ls'], []],
  ['not both', ['--as-root', '--as-user', 'a', '--', 'ls'], []],
  ['NAME=VALUE', ['--env', 'A', '--', 'ls'], []],
])('%s: %j', (problem, args, others) => {
  expect(() => startedCommand(parsed(...args), others)).toThrow(problem);
});

test('no message has the value of a variable', () => {
  const wrong = () => startedCommand(parsed('--env', '1A=a-secret', '--', 'ls'), []);
  expect(wrong).toThrow(
    expect.objectContaining({ message: expect.not.stringContaining('secret') }),
  );
});

test('a time limit is in whole seconds', () => {
  expect(timeoutSeconds(parsed('--timeout', '1500ms'), limit)).toBe(2);
  expect(timeoutSeconds(parsed(), limit)).toBeNull();
  expect(() => timeoutSeconds(parsed('--timeout', '5m'), limit)).toThrow('1s to 280s');
});

test.each([
  ['local', 'local'],
  ['ssh:me@host:22', 'ssh:me@host:22'],
  ['vm:http://localhost:10001/', 'vm:http://localhost:10001'],
  ['kernel:abc', 'kernel:abc'],
])('%s is a target', (target, name) => {
  expect(sessionOf(parsed(target), { KERNEL_API_KEY: 'key' }).session.name).toBe(name);
});

test.each<[string, Record<string, string>, string]>([
  ['kernel:a', { KERNEL_API_KEY: 'sec\nret' }, 'KERNEL_API_KEY has a line break'],
  ['kernel:a', { KERNEL_API_KEY: 'secret\u201d' }, 'KERNEL_API_KEY has a line break'],
  ['vm:http://x', { HEADROOM_VM_TOKEN: 'secret\n' }, 'HEADROOM_VM_TOKEN has a line break'],
  ['vm:http://:secret@x', {}, 'vm: takes a URL'],
  ['kernel:a', { KERNEL_API_KEY: 'k', KERNEL_BASE_URL: 'http://me:secret@x' }, 'KERNEL_BASE_URL'],
  ['kernel:a', { KERNEL_API_KEY: 'k', KERNEL_BASE_URL: 'http://x/?jwt=secret' }, 'KERNEL_BASE_URL'],
  ['kernel:a', { KERNEL_API_KEY: 'k', KERNEL_BASE_URL: 'ftp://secret' }, 'KERNEL_BASE_URL'],
  ['kernel:a', { KERNEL_API_KEY: 'k', KERNEL_BASE_URL: 'secret' }, 'KERNEL_BASE_URL'],
])('%s with %j is refused without saying a secret', (target, env, problem) => {
  const refused = expect(() => sessionOf(parsed(target), env));
  refused.toThrow(UsageError);
  refused.toThrow(problem);
  refused.toThrow(expect.objectContaining({ message: expect.not.stringContaining('secret') }));
});

test.each(['localhost', 'ssh:', 'ssh:-v', 'vm:file:///x', 'kernel:a/b', 'secret'])(
  '%s is none',
  (target) => {
    expect(() => sessionOf(parsed(target), { KERNEL_API_KEY: 'key' })).toThrow();
  },
);
