import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { isRecorderAlive, thisRecorder } from '../../src/store/recorder-lock.ts';

test('this process is alive', () => {
  expect(thisRecorder()).toMatchObject({ pid: process.pid });
  expect(isRecorderAlive(thisRecorder())).toBe(true);
});

test.each([
  ['the pid belongs to another program by now', { startTicks: 1 }],
  ['the machine was started again', { bootId: '00000000-0000-4000-8000-000000000000' }],
])('a recorder is dead when %s', (_, identity) => {
  expect(isRecorderAlive({ ...thisRecorder(), ...identity })).toBe(false);
});

test('a recorder is dead when its process is gone', async () => {
  const child = spawn('sleep', ['60']);
  const recorder = { ...thisRecorder(), pid: child.pid ?? 0, startTicks: null };
  expect(isRecorderAlive(recorder)).toBe(true);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(isRecorderAlive(recorder)).toBe(false);
});

test('a recorder is dead when it is a zombie', async () => {
  // The shell becomes `sleep`, which never reaps the child that the shell had started.
  const parent = spawn('sh', ['-c', 'sleep 0 & echo $!; exec sleep 60']);
  const [line] = (await once(parent.stdout, 'data')) as [Buffer];
  const zombie = { ...thisRecorder(), pid: Number(line), startTicks: null };
  await expect.poll(() => isRecorderAlive(zombie), { timeout: 60_000 }).toBe(false);
  parent.kill('SIGKILL');
  await once(parent, 'exit');
});
