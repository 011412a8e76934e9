import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { isBeingRecorded, isRecorderAlive, thisRecorder } from '../../src/store/recorder-lock.ts';
import { asNobody } from '../support/as-nobody.ts';
import { temporaryFolder } from '../support/headroom-cli.ts';

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

test('a copy is not being recorded, though it has the log beside it and its recorder lives', async () => {
  using folder = temporaryFolder();
  chmodSync(folder.path, 0o755);
  const file = folder.file('a.db');
  const copy = folder.file('copy.db');
  const driver = createRequire(import.meta.url).resolve('better-sqlite3');
  const program = `const db = new (require(${JSON.stringify(driver)}))(process.argv[1]);
    db.exec('PRAGMA journal_mode = WAL; CREATE TABLE a (b)');
    console.log('open');
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['-e', program, file]);
  try {
    await once(child.stdout, 'data');
    for (const part of ['', '-wal', '-shm']) copyFileSync(file + part, copy + part);
    const session = { recorder: { ...thisRecorder(), pid: child.pid ?? 0, startTicks: null } };
    const isLive = (path: string) => isBeingRecorded(path, session, isRecorderAlive);
    expect([isLive(file), isLive(copy)]).toEqual([true, false]);
    // Who may not look at its descriptors goes by the kernel's list of locks, where there is one.
    const isTold = new RegExp(`^.* ${child.pid} .*$`, 'm').test(locks());
    expect(asNobody(() => [isLive(file), isLive(copy)])).toEqual([true, !isTold]);
  } finally {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
});

function locks(): string {
  return existsSync('/proc/locks') ? readFileSync('/proc/locks', 'latin1') : '';
}
