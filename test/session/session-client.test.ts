import { describe, expect, test } from 'vitest';
import { HeadroomError } from '../../src/model/errors.ts';
import { kernelSession } from '../../src/session/kernel.ts';
import { SessionClient } from '../../src/session/session-client.ts';
import { vmSession } from '../../src/session/vm.ts';

const env = { KERNEL_API_KEY: 'secret-key', KERNEL_BASE_URL: 'http://127.0.0.1:1/' };

interface Request {
  url: string;
  init: RequestInit;
}

/** A fetch that gives the same answer to every call, and keeps the calls. */
function answering(make: () => Response) {
  const requests: Request[] = [];
  const send: typeof fetch = async (url, init = {}) => {
    requests.push({ url: String(url), init });
    return make();
  };
  return { requests, send };
}

const json = (body: object, status = 200) => new Response(JSON.stringify(body), { status });

async function failureOf(promise: Promise<unknown>): Promise<HeadroomError> {
  const error: unknown = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof HeadroomError)) throw new Error(`no HeadroomError: ${String(error)}`);
  return error;
}

describe('the wire', () => {
  test('exec of kernel: is below /browsers/ID, with the key, arguments as they are', async () => {
    const { requests, send } = answering(() => json({ exit_code: 3, stdout_b64: '/wA=' }));
    const session = kernelSession('a.b', env, send);
    const result = await session.exec({ command: ['echo', 'a,b', '$c "d"'], timeoutSeconds: 5 });
    expect(result).toEqual({
      exitCode: 3,
      signal: null,
      stdout: Buffer.from([0xff, 0]),
      stderr: Buffer.alloc(0),
    });
    expect(requests).toHaveLength(1);
    expect(requests[0]).toMatchObject({
      url: 'http://127.0.0.1:1/browsers/a.b/process/exec',
      init: { method: 'POST', headers: { authorization: 'Bearer secret-key' } },
    });
    expect(JSON.parse(String(requests[0]?.init.body))).toEqual({
      command: 'echo',
      args: ['a,b', '$c "d"'],
      timeout_sec: 5,
    });
  });

  test('folder, variables and user of a process, and a terminal where its output is given', async () => {
    const { requests, send } = answering(() => json([{ process_id: 'p', pid: 1 }]));
    const session = kernelSession('a', env, send);
    const started = { command: ['ls'] as const, cwd: '/c', env: { A: 'b' }, timeoutSeconds: 9 };
    // Its answer is no process; what was asked is all that counts here.
    await failureOf(session.spawn({ ...started, command: ['ls'], user: 'root' }));
    await failureOf(
      session.spawn({ command: ['ls'], user: '7:8' }, { terminal: { rows: 2, cols: 3 } }),
    );
    const bodies = requests.map(({ init }) => JSON.parse(String(init.body ?? 'null')));
    expect(bodies).toEqual([
      { command: 'ls', args: [], cwd: '/c', env: { A: 'b' }, as_root: true, timeout_sec: 9 },
      // The list of processes: only who has one gives the output of terminals.
      null,
      { command: 'ls', args: [], as_user: '7:8', allocate_tty: true, rows: 2, cols: 3 },
    ]);
  });

  test('a terminal whose output nobody would see is not started', async () => {
    const { requests, send } = answering(() => json({ message: 'not found' }, 404));
    const spawning = kernelSession('a', env, send).spawn(
      { command: ['ls'] },
      { terminal: { rows: 2, cols: 3 } },
    );
    expect((await failureOf(spawning)).code).toBe('SESSION_CANNOT');
    expect(requests.map(({ init }) => init.method)).toEqual(['GET']);
  });

  test('vm: with a key where one is wanted', async () => {
    const { requests, send } = answering(() => json({ state: 'running' }));
    await vmSession(new URL('http://vm/x/'), { HEADROOM_VM_TOKEN: 'key' }, send).status('p');
    expect(requests[0]).toMatchObject({
      url: 'http://vm/x/process/p/status',
      init: { headers: { authorization: 'Bearer key' } },
    });
  });

  test('vm: has no prefix and no key', async () => {
    const { requests, send } = answering(() => json({ state: 'exited', exit_code: -1 }));
    const status = await vmSession(new URL('http://vm:10001/'), {}, send).status('x/y');
    // The server in the VMs says -1 of any signal: unknown.
    expect(status).toEqual({ isRunning: false, exitCode: null, signal: null });
    expect(requests[0]?.url).toBe('http://vm:10001/process/x%2Fy/status');
    expect(requests[0]?.init.headers).toEqual({});
  });

  test('an API without a list of processes has none', async () => {
    const { send } = answering(() => json({ message: 'not found' }, 404));
    expect(await kernelSession('a', env, send).list()).toBeNull();
  });
});

describe('what goes wrong is said once, without the key, and nothing is sent twice', () => {
  test.each([
    [401, 'SESSION_REFUSED'],
    [404, 'SESSION_NOT_FOUND'],
    [409, 'SESSION_CALL_FAILED'],
    [429, 'SESSION_CALL_FAILED'],
    [500, 'SESSION_CALL_FAILED'],
  ])('%i is %s', async (status, code) => {
    const { requests, send } = answering(() => json({ message: 'what it said' }, status));
    const failure = await failureOf(kernelSession('a', env, send).exec({ command: ['true'] }));
    expect(failure.code).toBe(code);
    expect(failure.message).toBe(`kernel:a: /process/exec: ${status} what it said`);
    expect(requests).toHaveLength(1);
  });

  test('a connection that fails', async () => {
    const send: typeof fetch = async () => {
      throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') });
    };
    const failure = await failureOf(kernelSession('a', env, send).spawn({ command: ['true'] }));
    expect(failure.code).toBe('SESSION_UNREACHABLE');
    expect(failure.message).toBe('kernel:a: /process/spawn: connect ECONNREFUSED');
  });

  test('a file that was on its way when the connection broke is written again, no command is', async () => {
    let callCount = 0;
    const send: typeof fetch = async () => {
      callCount++;
      if (callCount % 2 === 0) return new Response(null, { status: 201 });
      throw new TypeError('fetch failed', { cause: new Error('other side closed') });
    };
    await kernelSession('a', env, send).writeFile('/f', Buffer.from('x'));
    expect(callCount).toBe(2);
    await failureOf(kernelSession('a', env, send).exec({ command: ['true'] }));
    expect(callCount).toBe(3);
  });

  test.each([
    ['no JSON', () => new Response('<html>'), 'the answer is no JSON'],
    ['without a state', () => json({}), 'the answer has no state'],
    ['larger than 8 MiB', () => new Response(new Uint8Array(9 * 2 ** 20)), 'is larger than'],
  ])('an answer that is %s', async (_, make, problem) => {
    const { send } = answering(make);
    const failure = await failureOf(kernelSession('a', env, send).status('x'));
    expect(failure.code).toBe('SESSION_CALL_FAILED');
    expect(failure.message).toContain(problem);
  });

  test('an exec that tells no exit code did not say that all went well', async () => {
    const { send } = answering(() => json({ stdout_b64: '' }));
    const failure = await failureOf(kernelSession('a', env, send).exec({ command: ['true'] }));
    expect(failure.message).toContain('the answer has no exit code');
  });

  test('without a key nothing is sent', () => {
    expect(() => kernelSession('a', {})).toThrow('KERNEL_API_KEY is not set');
  });
});

describe('what a server does to us', () => {
  const client = (send: typeof fetch) =>
    new SessionClient({
      name: 'kernel:x',
      baseUrl: 'http://127.0.0.1:1',
      token: 'secret-key',
      keyVariable: 'KERNEL_API_KEY',
      fetch: send,
    });

  test('the key is in no message, also when it is said back', async () => {
    const { send } = answering(() => json({ message: 'no: Bearer secret-key, go' }, 500));
    const error = await failureOf(client(send).open({ method: 'GET', path: '/a' }));
    expect(error.message).toBe('kernel:x: /a: 500 no: Bearer …, go');
  });

  test('a redirect is not followed, and says where to', async () => {
    const headers = { location: 'https://user:pass@other.example/browsers/x?jwt=secret' };
    const { requests, send } = answering(() => new Response(null, { status: 302, headers }));
    const error = await failureOf(client(send).open({ method: 'GET', path: '/a' }));
    expect(error.message).toBe('kernel:x: /a: 302, a redirect to https://other.example');
    expect(error.hint).toContain('KERNEL_BASE_URL');
    expect(requests.map(({ init }) => init.redirect)).toEqual(['manual']);
  });

  /** MiB after MiB, and how many were taken. */
  function endless(status: number) {
    const taken = { count: 0 };
    const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
      taken.count++;
      controller.enqueue(new Uint8Array(2 ** 20).fill(0x20));
    };
    return { taken, make: () => new Response(new ReadableStream({ pull }), { status }) };
  }

  test.each([
    ['an exec, of which more is not expected', 200, 2, 8],
    ['a problem', 500, 64, 3],
  ])('an answer without an end is given up: %s', async (_, status, limitMiB, mostTaken) => {
    const { taken, make } = endless(status);
    const session = kernelSession('a', env, answering(make).send);
    const options = { limitBytes: limitMiB * 2 ** 20 };
    const error = await failureOf(session.exec({ command: ['true'] }, options));
    expect(error.code).toBe('SESSION_CALL_FAILED');
    expect(taken.count).toBeLessThanOrEqual(mostTaken);
  });

  test('so is one of telemetry', async () => {
    const { taken, make } = endless(200);
    const past = kernelSession('a', env, answering(make).send).platform?.past(0);
    const error = await failureOf(past?.next() ?? Promise.resolve());
    expect(error.code).toBe('SESSION_CALL_FAILED');
    expect(taken.count).toBeLessThanOrEqual(10);
  });

  // The fetch of Node.js forgets its signal after a while; this one never heard of it.
  test('a body that never ends is left with the signal', async () => {
    const response = new Response(new ReadableStream({}));
    const ending = new AbortController();
    const body = client(fetch).body('/stream', response, ending.signal);
    const next = failureOf(body.next());
    ending.abort();
    expect((await next).code).toBe('SESSION_UNREACHABLE');
  });
});
