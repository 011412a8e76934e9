import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import fc from 'fast-check';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { HeadroomError } from '../../src/model/errors.ts';
import { MachineSession } from '../../src/session/machine/machine-session.ts';
import { Shell } from '../../src/session/machine/shell.ts';
import { bootLine } from '../../src/session/machine/shell-line.ts';
import { temporaryFolder } from '../support/headroom-cli.ts';

const patience = { timeout: 60_000, interval: 200 };
const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

const sessionOf = (...program: [string, ...string[]]) =>
  new MachineSession(new Shell({ name: 'local', program, hint: 'none' }));
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('utf8');

async function codeOf(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof HeadroomError)) throw new Error(`no HeadroomError: ${String(error)}`);
  return error.code;
}

async function* input(...pieces: string[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield Buffer.from(piece);
}

// Each process of a spawn is found below this folder, and in no other.
const tmp = `TMPDIR=${folder.path}`;

describe.each(['dash', 'bash'])('a machine whose shell is %s', (shell) => {
  const session = sessionOf('env', tmp, shell, '-c', bootLine);

  test('whatever text an argument or a variable is, it arrives as it is', async () => {
    const word = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 12 }),
      fc.constantFrom(...nasty),
    );
    const words = fc.array(
      word.map((each) => each.replaceAll('\0', '')),
      { minLength: 1, maxLength: 20 },
    );
    await fc.assert(
      fc.asyncProperty(words, async (args) => {
        const V = args.at(-1) ?? '';
        const script = 'printf "%s\\0" "$V" "$@"';
        const command = ['sh', '-c', script, 'sh', ...args] as const;
        const { stdout } = await session.exec({ command: [...command], env: { V } });
        expect(text(stdout).split('\0')).toEqual([V, ...args, '']);
      }),
      { numRuns: 8, examples: [[nasty]] },
    );
  });

  test('a spawned process: input and its end, both outputs, how it ended, in the list', async () => {
    const script = 'while read x; do echo "got $x"; done; echo "$TMPDIR $(umask)" >&2; exit 9';
    // Its variables are not those by which it is kept.
    const env = { TMPDIR: '/elsewhere', d: 'd', p: 'p' };
    const { processId, pid } = await session.spawn(
      { command: ['sh', '-c', script], env },
      { hasInput: true },
    );
    const umask = execFileSync('sh', ['-c', 'umask'], { encoding: 'utf8' });
    const { signal } = new AbortController();
    expect(await session.status(processId)).toMatchObject({ isRunning: true });
    expect((await session.list()).find((each) => each.processId === processId)).toMatchObject({
      pid,
      state: 'running',
    });
    const heard = outputOf(session.stream(processId, signal));
    expect(await session.sendInput(processId, input('a\n', 'b\n'), signal)).toBe(true);
    expect(await heard).toEqual({
      stdout: 'got a\ngot b\n',
      stderr: `/elsewhere ${umask}`,
      end: { exitCode: 9, signal: null },
    });
    // All of it, any number of times.
    expect((await outputOf(session.stream(processId, signal))).stdout).toBe('got a\ngot b\n');
    const listed = (await session.list()).find((each) => each.processId === processId);
    expect(listed).toMatchObject({ pid, exitCode: 9, signal: null, state: 'exited' });
    expect(listed?.command).toEqual(['sh', '-c', script]);
    expect(await codeOf(session.kill(processId, 'TERM'))).toBe('SESSION_CALL_FAILED');
  });

  test('kill reaches the group, also with INT; a time limit too', async () => {
    const { signal } = new AbortController();
    const command = ['sh', '-c', 'sleep 5522; true'] as const;
    const spawned = await session.spawn({ command: [...command] });
    await session.kill(spawned.processId, 'INT');
    const { end } = await outputOf(session.stream(spawned.processId, signal));
    expect(end).toEqual({ exitCode: null, signal: 'SIGINT' });
    const limited = await session.spawn({ command: [...command], timeoutSeconds: 1 });
    expect((await outputOf(session.stream(limited.processId, signal))).end).toEqual({
      exitCode: null,
      signal: 'SIGKILL',
    });
    await untilGone('sleep 5522');
  });
});

describe('a machine', () => {
  const session = sessionOf('env', tmp, '/bin/sh', '-c', bootLine);

  test('exit code and signal are two facts; both outputs are bytes', async () => {
    const script = 'printf "\\377\\000"; printf "no newline" >&2; exit 137';
    expect(await session.exec({ command: ['sh', '-c', script] })).toEqual({
      exitCode: 137,
      signal: null,
      stdout: Buffer.from([0xff, 0]),
      stderr: Buffer.from('no newline'),
    });
    const killed = await session.exec({ command: ['sh', '-c', 'kill -KILL $$'] });
    expect(killed).toMatchObject({ exitCode: null, signal: 'SIGKILL' });
    const missing = await session.exec({ command: ['no-such-program'] });
    expect(missing).toMatchObject({ exitCode: 127, signal: null });
    expect(text(missing.stderr)).toBe('no-such-program: No such file or directory\n');
  });

  test('folder, input, variables that a shell lives by', async () => {
    const env = { PATH: '/nowhere', n: 'x', line: 'y', headroom_mark: 'z' };
    const result = await session.exec(
      { command: ['/bin/sh', '-c', 'pwd; /bin/cat; echo "$PATH"'], cwd: '/usr/lib', env },
      { input: input('one\n', 'two') },
    );
    expect(text(result.stdout)).toBe('/usr/lib\none\ntwo/nowhere\n');
    const nowhere = await session.exec({ command: ['true'], cwd: '/no/such folder' });
    expect(nowhere).toMatchObject({ exitCode: 126 });
  });

  test('what takes too long, or is given up, is ended with all it started', async () => {
    const command = ['sh', '-c', 'sleep 5511 & sleep 5511; true'] as const;
    expect(await codeOf(session.exec({ command: [...command], timeoutSeconds: 1 }))).toBe(
      'SESSION_CALL_FAILED',
    );
    const signal = AbortSignal.abort();
    expect(await codeOf(session.exec({ command: [...command] }, { signal }))).toBe(
      'SESSION_CALL_FAILED',
    );
    await untilGone('sleep 5511');
  });

  test('files: bytes and mode as given, names that are not for a shell', async () => {
    const file = folder.file(`deep/a b/$(id) 'x'\n`);
    await session.writeFile(file, Buffer.from([0, 10, 255]), { mode: '640' });
    expect(fs.readFileSync(file)).toEqual(Buffer.from([0, 10, 255]));
    expect(fs.statSync(file).mode & 0o777).toBe(0o640);
    const { sizeBytes, chunks } = await session.readFile(file);
    const read: Uint8Array[] = [];
    for await (const chunk of chunks) read.push(chunk);
    expect([sizeBytes, Buffer.concat(read)]).toEqual([3, Buffer.from([0, 10, 255])]);
    await session.removeFile(file);
    expect(await codeOf(session.readFile(file))).toBe('SESSION_NOT_FOUND');
    expect(await codeOf(session.removeFile(file))).toBe('SESSION_NOT_FOUND');
    expect(await codeOf(session.readFile(folder.path))).toBe('SESSION_CALL_FAILED');
  });

  test('what cannot be done is said', async () => {
    const command = ['true'] as const;
    const size = { rows: 1, cols: 1 };
    expect(await codeOf(session.exec({ command, user: 'nobody' }))).toBe('SESSION_CANNOT');
    expect(await codeOf(session.spawn({ command }, { terminal: size }))).toBe('SESSION_CANNOT');
    expect(await codeOf(session.spawn({ command: ['no-such-program'] }))).toBe(
      'SESSION_CALL_FAILED',
    );
    expect(await codeOf(session.status('../../etc'))).toBe('SESSION_NOT_FOUND');
    const none = '00000000-0000-4000-8000-000000000000';
    expect(await codeOf(session.status(none))).toBe('SESSION_NOT_FOUND');
  });
});

test('without perl a signal is its code, as in any shell, and nothing is spawned', async () => {
  const bin = folder.file('bin');
  fs.mkdirSync(bin);
  for (const name of ['sh', 'id', 'mkdir', 'cat']) {
    const found = execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' });
    fs.symlinkSync(found.trim(), `${bin}/${name}`);
  }
  const session = sessionOf('env', `PATH=${bin}`, '/bin/sh', '-c', bootLine);
  const killed = await session.exec({ command: ['sh', '-c', 'echo a; kill -KILL $$'] });
  expect(killed).toMatchObject({ exitCode: 137, signal: null, stdout: Buffer.from('a\n') });
  expect(await codeOf(session.spawn({ command: ['true'] }))).toBe('SESSION_CANNOT');
});

test('a file is followed from now on', async () => {
  const session = sessionOf('/bin/sh', '-c', bootLine);
  const file = folder.file('log');
  fs.writeFileSync(file, 'old\n');
  const leaving = new AbortController();
  let heard = '';
  // Written again and again, as it is not known when the other side begins to look.
  const writer = setInterval(() => fs.appendFileSync(file, 'new\n'), 50);
  for await (const chunk of session.followFile(file, leaving.signal)) {
    heard += text(chunk);
    if (heard.includes('\n')) leaving.abort();
  }
  clearInterval(writer);
  expect(heard).toMatch(/^(new\n)+$/);
  const missing = session.followFile(folder.file('none'), new AbortController().signal);
  expect(await codeOf(outputBytes(missing))).toBe('SESSION_NOT_FOUND');
});

test('a machine that is not there', async () => {
  expect(await codeOf(sessionOf('no-such-program').list())).toBe('SESSION_UNREACHABLE');
  const refused = sessionOf('sh', '-c', 'echo "a@b: Permission denied (publickey)." >&2; exit 255');
  expect(await codeOf(refused.exec({ command: ['true'] }))).toBe('SESSION_REFUSED');
});

async function untilGone(args: string): Promise<void> {
  await vi.waitFor(() => {
    const listed = execFileSync('ps', ['-ww', '-eo', 'args='], { encoding: 'utf8' });
    expect(listed.split('\n')).not.toContain(args);
  }, patience);
}

async function outputOf(parts: ReturnType<MachineSession['stream']>) {
  const outputs = { stdout: '', stderr: '' };
  let end: object | null = null;
  for await (const part of parts) {
    if (part.kind === 'end') end = part.end;
    else outputs[part.stream] += text(part.data);
  }
  return { ...outputs, end };
}

async function outputBytes(chunks: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of chunks);
}

const nasty = ["'", '"', '\n', '$n', '`id`', '$(id)', '\\', ' ', '-n', '*', '!x', '\r', 'a,b', ''];
