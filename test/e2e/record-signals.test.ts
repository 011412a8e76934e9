import fs from 'node:fs';
import type { Readable } from 'node:stream';
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { openRecording } from '../../src/store/reader.ts';
import { verifyFile } from '../../src/store/verify/verify-file.ts';
import { startCli, temporaryFolder } from '../support/headroom-cli.ts';
import { untilRecorded } from '../support/until-recorded.ts';

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

function startRecord(file: string, ...command: string[]) {
  const rest = command.length === 0 ? [] : ['--', ...command];
  return startCli(['record', '--quiet', '--interval', '100ms', '--out', file, ...rest]);
}

describe('a signal to the recorder', () => {
  test.each(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const)(
    '%s ends it whole',
    async (signal) => {
      const file = folder.file(`${signal}.db`);
      const { child, result } = startRecord(file);
      await untilRecorded(file);
      child.kill(signal);
      expect(await result).toMatchObject({ exitCode: 0 });
      using recording = openRecording(file);
      expect(recording.facts.endReason).toBe('signal');
      expect(recording.facts.endedUnixMs).not.toBeNull();
    },
  );

  test('SIGUSR1 does nothing: no debugger is opened', async () => {
    const file = folder.file('usr1.db');
    const { child, result } = startRecord(file);
    await untilRecorded(file);
    child.kill('SIGUSR1');
    await untilRecorded(file, 8);
    child.kill('SIGTERM');
    expect(await result).toMatchObject({ exitCode: 0, stderr: '' });
  });

  test('is passed on to the command, whose end is waited for and told', async () => {
    const file = folder.file('passed-on.db');
    const { child, result } = startRecord(
      file,
      'sh',
      '-c',
      'trap "sleep 1; exit 9" TERM; sleep 60 >&- 2>&- & echo ready; wait',
    );
    await untilTold(child.stdout, /ready/);
    child.kill('SIGTERM');
    expect((await result).exitCode).toBe(9);
    using recording = openRecording(file);
    expect(recording.facts.endReason).toBe('command_exited');
    const codes = recording
      .events()
      .map((event) => (event.kind === 'note' ? event.code : event.kind));
    expect(codes).toContain('stop_asked');
    expect(recording.events()).toContainEqual(
      expect.objectContaining({ kind: 'process_exit', source: 'parent', exitCode: 9 }),
    );
  });

  test('a second one ends the recording without waiting for the command', async () => {
    const file = folder.file('twice.db');
    const { child, result } = startRecord(
      file,
      'sh',
      '-c',
      'trap "" TERM; echo ready $$; exec >&- 2>&-; while :; do sleep 1; done',
    );
    const [, pid] = await untilTold(child.stdout, /ready (\d+)/);
    onTestFinished(() => void process.kill(Number(pid), 'SIGKILL'));
    child.kill('SIGTERM');
    const [, toldPid] = await untilTold(
      child.stderr,
      /SIGTERM passed on to pid (\d+); waiting for its end/,
    );
    expect(toldPid).toBe(pid);
    child.kill('SIGTERM');
    expect((await result).exitCode).toBe(128 + 15);
    using recording = openRecording(file);
    expect(recording.facts.endReason).toBe('signal');
  });
});

describe('a file that is taken away while it is recorded', () => {
  test('is told, and the exit code says so', async () => {
    const file = folder.file('removed.db');
    const { child, result } = startRecord(file);
    await untilRecorded(file);
    for (const name of fs.readdirSync(folder.path)) {
      if (name.startsWith('removed.db')) fs.rmSync(folder.file(name));
    }
    child.kill('SIGTERM');
    const { exitCode, stderr } = await result;
    expect(exitCode).toBe(1);
    expect(stderr).toContain(
      'removed.db: the file was removed or moved while it was recorded; 0 samples are there',
    );
    expect(fs.existsSync(file)).toBe(false);
  });

  test('has everything where it was moved to', async () => {
    const file = folder.file('moved.db');
    const there = folder.file('there.db');
    const options = ['--quiet', '--interval', '100ms', '--out', file];
    const { child, result } = startCli(['record', '--json', ...options]);
    await untilRecorded(file);
    fs.renameSync(file, there);
    await untilTold(child.stderr, /removed or moved while it was recorded; samples are kept/);
    const another = await startCli(['record', ...options]).result;
    expect(another).toMatchObject({ exitCode: 1 });
    expect(another.stderr).toContain('moved.db-wal: the log of a recorder that still runs');
    const onIt = await startCli(['record', '--quiet', '--out', there]).result;
    expect(onIt).toMatchObject({ exitCode: 1 });
    expect(onIt.stderr).toContain('from where it was moved or linked [FILE_IN_USE]');
    child.kill('SIGTERM');
    const { exitCode, stdout, stderr } = await result;
    expect(exitCode).toBe(1);
    expect(stderr).toContain(
      `moved.db was moved while it was recorded: everything is in ${fs.realpathSync(there)} [FILE_NOT_WRITABLE]`,
    );
    expect(fs.readdirSync(folder.path).filter((name) => name.startsWith('moved.db'))).toEqual([]);
    expect(verifyFile(there)).toMatchObject({ isWhole: true, checked: 'every_byte' });
    using recording = openRecording(there);
    expect(recording.facts.endReason).toBe('signal');
    expect(JSON.parse(stdout)).toMatchObject({
      file: fs.realpathSync(there),
      samples: recording.tickCount(),
      isWhole: true,
    });
  });
});

/** Resolves with the match when a stream has told as much. */
function untilTold(stream: Readable | null, pattern: RegExp): Promise<RegExpExecArray> {
  let told = '';
  stream?.on('data', (text) => {
    told += text;
  });
  return vi.waitFor(
    () => {
      const match = pattern.exec(told);
      if (match === null) throw new Error(`not told yet, only: ${told}`);
      return match;
    },
    { timeout: 90_000, interval: 50 },
  );
}
