import { randomBytes } from 'node:crypto';
import { bytesUpTo } from '../model/bytes-up-to.ts';
import { HeadroomError } from '../model/errors.ts';
import { fieldsOf, listedProcess, remoteEnd, unknownEnd } from './answers.ts';
import { readEvents } from './event-stream.ts';
import { PlatformEvents } from './platform-events.ts';
import type {
  ExecOptions,
  ExecResult,
  FileRead,
  ListedProcess,
  OutputPart,
  ProcessStatus,
  Session,
  SessionCommand,
  SignalName,
  SpawnedProcess,
  SpawnOptions,
  TerminalSize,
} from './session.ts';
import { usualOutputBytes } from './session.ts';
import type { Call, SessionClient } from './session-client.ts';

/** What the answer of an exec may take beyond its own limit. */
const execMarginMs = 15_000;
/** fetch gives up on an answer that has no head after 300 s. */
export const longestExecSeconds = 280;
const fileTimeoutMs = 120_000;
const mostInputBytes = 64 * 2 ** 20;

/** The process and file API of the hosted sessions and of the server in their VMs. */
export class ProcessApi implements Session {
  readonly platform: PlatformEvents;
  readonly #client: SessionClient;

  constructor(client: SessionClient) {
    this.#client = client;
    this.platform = new PlatformEvents(client);
  }

  get name(): string {
    return this.#client.name;
  }

  async exec(
    given: SessionCommand,
    { input, signal, limitBytes = usualOutputBytes }: ExecOptions = {},
  ): Promise<ExecResult> {
    const command = input === undefined ? given : await this.#withInput(given, input);
    const seconds = Math.min(command.timeoutSeconds ?? longestExecSeconds, longestExecSeconds);
    const path = '/process/exec';
    const answer = fieldsOf(
      await this.#client.json({
        method: 'POST',
        path,
        body: { ...bodyOf(command), timeout_sec: seconds },
        timeoutMs: seconds * 1_000 + execMarginMs,
        // Two outputs in base64.
        limitBytes: 3 * limitBytes,
        ...(signal === undefined ? {} : { signal }),
      }),
    );
    const end = remoteEnd(answer);
    if (end === null) throw this.#client.failure(path, 'the answer has no exit code');
    return { ...end, stdout: decoded(answer['stdout_b64']), stderr: decoded(answer['stderr_b64']) };
  }

  async spawn(command: SessionCommand, { terminal }: SpawnOptions = {}): Promise<SpawnedProcess> {
    const path = '/process/spawn';
    if (terminal !== undefined) await this.#mustStreamTerminals();
    const body = {
      ...bodyOf(command),
      ...(terminal === undefined ? {} : { allocate_tty: true, ...terminal }),
    };
    const answer = fieldsOf(await this.#client.json({ method: 'POST', path, body }));
    const { process_id: processId, pid } = answer;
    if (typeof processId !== 'string' || typeof pid !== 'number') {
      throw this.#client.failure(path, 'the answer names no process');
    }
    return { processId, pid };
  }

  async status(processId: string): Promise<ProcessStatus> {
    const path = `/process/${encodeURIComponent(processId)}/status`;
    const answer = fieldsOf(await this.#client.json({ method: 'GET', path }));
    const { state } = answer;
    if (typeof state !== 'string') throw this.#client.failure(path, 'the answer has no state');
    return { isRunning: state === 'running', ...(remoteEnd(answer) ?? unknownEnd) };
  }

  async kill(processId: string, signal: SignalName): Promise<void> {
    const path = `/process/${encodeURIComponent(processId)}/kill`;
    await this.#client.bytes({ method: 'POST', path, body: { signal } });
  }

  async list(): Promise<readonly ListedProcess[] | null> {
    try {
      const answer = await this.#client.json({ method: 'GET', path: '/process' });
      return Array.isArray(answer) ? answer.flatMap((item) => listedProcess(item) ?? []) : null;
    } catch (error) {
      const isAbsent =
        error instanceof HeadroomError &&
        ['SESSION_NOT_FOUND', 'SESSION_CALL_FAILED'].includes(error.code);
      // The hosted API has none.
      if (isAbsent) return null;
      throw error;
    }
  }

  async *stream(processId: string, signal: AbortSignal): AsyncIterable<OutputPart> {
    const path = `/process/${encodeURIComponent(processId)}/stdout/stream`;
    const response = await this.#client.open({
      method: 'GET',
      path,
      signal,
      // The real server sends the head with the first output only.
      timeoutMs: 290_000,
    });
    for await (const text of readEvents(this.#client.body(path, response, signal))) {
      const part = outputPart(text);
      if (part === null) throw this.#client.failure(path, 'an event of the stream is no JSON');
      yield part;
    }
  }

  async sendInput(
    processId: string,
    input: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): Promise<boolean> {
    const path = `/process/${encodeURIComponent(processId)}/stdin`;
    for await (const chunk of input) {
      if (signal.aborted) break;
      const body = { data_b64: Buffer.from(chunk).toString('base64') };
      await this.#client.bytes({ method: 'POST', path, body, signal });
    }
    // There is no call for it.
    return false;
  }

  async resize(processId: string, size: TerminalSize): Promise<void> {
    const path = `/process/${encodeURIComponent(processId)}/resize`;
    await this.#client.bytes({ method: 'POST', path, body: size });
  }

  async *followFile(file: string, signal: AbortSignal): AsyncIterable<Uint8Array> {
    const path = '/logs/stream';
    const query = { source: 'path', path: file, follow: 'true' };
    const response = await this.#client.open({ method: 'GET', path, query, signal });
    let isFirst = true;
    for await (const text of readEvents(this.#client.body(path, response, signal))) {
      const { message } = jsonFields(text) ?? {};
      if (typeof message !== 'string') continue;
      // Its only way to say so.
      if (isFirst && message === 'failed to open log path') throw this.#noFile(file);
      isFirst = false;
      yield Buffer.from(`${message}\n`);
    }
  }

  async readFile(path: string): Promise<FileRead> {
    const response = await this.#client.open({
      method: 'GET',
      path: '/fs/read_file',
      query: { path },
      timeoutMs: fileTimeoutMs,
    });
    const size = response.headers.get('content-length');
    return {
      sizeBytes: size !== null && /^\d+$/.test(size) ? Number(size) : null,
      chunks: this.#client.body('/fs/read_file', response),
    };
  }

  /** To write the same twice does no harm, unlike a command: where the connection broke it is. */
  async writeFile(path: string, content: Uint8Array, { mode = '600' } = {}): Promise<void> {
    const call: Call = {
      method: 'PUT',
      path: '/fs/write_file',
      query: { path, mode },
      body: content,
      timeoutMs: fileTimeoutMs,
    };
    try {
      await this.#client.bytes(call);
    } catch (error) {
      const isBroken = error instanceof HeadroomError && error.code === 'SESSION_UNREACHABLE';
      if (!isBroken) throw error;
      await this.#client.bytes(call);
    }
  }

  async removeFile(path: string): Promise<void> {
    await this.#client.bytes({ method: 'PUT', path: '/fs/delete_file', body: { path } });
  }

  /** An exec has no input there: it is put into a file, which the command opens and removes. */
  async #withInput(
    command: SessionCommand,
    input: AsyncIterable<Uint8Array>,
  ): Promise<SessionCommand> {
    if (command.user !== undefined) {
      throw this.#cannot('an input for another user would be a file that others can read');
    }
    const { bytes: content, isAll } = await bytesUpTo(input, mostInputBytes);
    if (!isAll) throw this.#cannot(`an input of more than ${mostInputBytes} bytes`);
    const script = `echo "\${TMPDIR:-/tmp}"`;
    const asked = await this.exec({ command: ['sh', '-c', script] });
    const folder = Buffer.from(asked.stdout).toString('utf8').trim();
    const file = `${folder}/headroom-input-${randomBytes(12).toString('hex')}`;
    await this.writeFile(file, content);
    const opening = 'exec <"$1" && rm -f "$1" || exit 126; shift; exec "$@"';
    return { ...command, command: ['sh', '-c', opening, 'sh', file, ...command.command] };
  }

  /** Only a host that lists its processes gives the output of terminals: the real server does not. */
  async #mustStreamTerminals(): Promise<void> {
    if ((await this.list()) !== null) return;
    throw this.#cannot('this API does not give what a process on a terminal writes');
  }

  #cannot(why: string): HeadroomError {
    return new HeadroomError('SESSION_CANNOT', `${this.name}: ${why}`);
  }

  #noFile(file: string): HeadroomError {
    return new HeadroomError('SESSION_NOT_FOUND', `${this.name}: ${file}: there is none`);
  }
}

function bodyOf({ command, cwd, env, user, timeoutSeconds }: SessionCommand): object {
  const [program, ...args] = command;
  const as = user === 'root' ? { as_root: true } : { as_user: user };
  const given = { cwd, env, ...as, timeout_sec: timeoutSeconds };
  // What is undefined is not sent.
  return { command: program, args, ...given };
}

function outputPart(text: string): OutputPart | null {
  const fields = jsonFields(text);
  if (fields === null) return null;
  if (fields['event'] === 'exit') return { kind: 'end', end: remoteEnd(fields) ?? unknownEnd };
  const stream = fields['stream'] === 'stderr' ? 'stderr' : 'stdout';
  return { kind: 'output', stream, data: decoded(fields['data_b64']) };
}

/** Null for what is no JSON. */
function jsonFields(text: string): Readonly<Record<string, unknown>> | null {
  try {
    return fieldsOf(JSON.parse(text));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return null;
  }
}

function decoded(base64: unknown): Uint8Array {
  return Buffer.from(typeof base64 === 'string' ? base64 : '', 'base64');
}
