import { HeadroomError } from '../model/errors.ts';
import { fieldsOf, listedProcess, remoteEnd, unknownEnd } from './answers.ts';
import { readEvents } from './event-stream.ts';
import type {
  ExecResult,
  FileRead,
  ListedProcess,
  OutputPart,
  ProcessStatus,
  Session,
  SessionCommand,
  SignalName,
  SpawnedProcess,
} from './session.ts';
import type { SessionClient } from './session-client.ts';

// Two outputs of 64 MiB in base64, the most that a local host gives.
const execLimitBytes = 192 * 2 ** 20;
/** What the answer of an exec may take beyond its own limit. */
const execMarginMs = 15_000;
/** fetch gives up on an answer that has no head after 300 s. */
export const longestExecSeconds = 280;
const fileTimeoutMs = 120_000;

/** The process and file API of the hosted sessions and of the server in their VMs. */
export class ProcessApi implements Session {
  readonly #client: SessionClient;

  constructor(client: SessionClient) {
    this.#client = client;
  }

  get name(): string {
    return this.#client.name;
  }

  async exec(command: SessionCommand): Promise<ExecResult> {
    const seconds = Math.min(command.timeoutSeconds ?? longestExecSeconds, longestExecSeconds);
    const path = '/process/exec';
    const answer = fieldsOf(
      await this.#client.json({
        method: 'POST',
        path,
        body: { ...bodyOf(command), timeout_sec: seconds },
        timeoutMs: seconds * 1_000 + execMarginMs,
        limitBytes: execLimitBytes,
      }),
    );
    const end = remoteEnd(answer);
    if (end === null) throw this.#client.failure(path, 'the answer has no exit code');
    return { ...end, stdout: decoded(answer['stdout_b64']), stderr: decoded(answer['stderr_b64']) };
  }

  async spawn(command: SessionCommand): Promise<SpawnedProcess> {
    const path = '/process/spawn';
    const body = bodyOf(command);
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
    for await (const text of readEvents(this.#client.body(path, response))) {
      const part = outputPart(text);
      if (part === null) throw this.#client.failure(path, 'an event of the stream is no JSON');
      yield part;
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

  async writeFile(path: string, content: Uint8Array, { mode = '600' } = {}): Promise<void> {
    await this.#client.bytes({
      method: 'PUT',
      path: '/fs/write_file',
      query: { path, mode },
      body: content,
      timeoutMs: fileTimeoutMs,
    });
  }

  async removeFile(path: string): Promise<void> {
    await this.#client.bytes({ method: 'PUT', path: '/fs/delete_file', body: { path } });
  }
}

function bodyOf({ command: [command, ...args], env }: SessionCommand): object {
  return { command, args, ...(env === undefined ? {} : { env }) };
}

function outputPart(text: string): OutputPart | null {
  try {
    const fields = fieldsOf(JSON.parse(text));
    if (fields['event'] === 'exit') {
      return { kind: 'end', end: remoteEnd(fields) ?? unknownEnd };
    }
    const stream = fields['stream'] === 'stderr' ? 'stderr' : 'stdout';
    return { kind: 'output', stream, data: decoded(fields['data_b64']) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return null;
  }
}

function decoded(base64: unknown): Uint8Array {
  return Buffer.from(typeof base64 === 'string' ? base64 : '', 'base64');
}
