import { expect, test } from 'vitest';
import { lastLines, runInFront, runQuietly } from '../../scripts/setup/run-command.mjs';
import { checkNode } from '../../scripts/setup/set-up.mjs';

const script = (code: string): [string, string[]] => [process.execPath, ['-e', code]];

test('the output of both streams and the exit code are kept', async () => {
  const { code, output } = await runQuietly(
    ...script("console.log('out'); console.error('err'); process.exitCode = 3"),
  );
  expect(code).toBe(3);
  expect(output.split('\n').sort()).toEqual(['', 'err', 'out']);
});

test('a program that does not exist is exit code 127', async () => {
  expect(await runQuietly('headroom-no-such-program', [])).toEqual({ code: 127, output: '' });
});

test.each([
  ['process.exit(7)', 7],
  ["process.kill(process.pid, 'SIGKILL')", 137],
])('%s in front gives %i', async (code, exitCode) => {
  expect(await runInFront(...script(code))).toBe(exitCode);
});

test('the end of an output', () => {
  expect(lastLines('a\nb\nc\n', 2)).toBe('b\nc');
});

test.each(['20.0.0', '22.11.0', '24.1.0'])('Node.js %s will do', (version) => {
  expect(checkNode(version)).toBe(version);
});

test.each(['18.20.8', '16.0.0', '9.11.2'])('Node.js %s is too old', (version) => {
  expect(() => checkNode(version)).toThrow('too old');
});
