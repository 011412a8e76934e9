import { bytesUpTo } from '../model/bytes-up-to.ts';
import { HeadroomError } from '../model/errors.ts';
import { timeLimit } from '../model/time-limit.ts';

export interface SessionClientOptions {
  /** How the session is named in messages. */
  name: string;
  /** What the paths of the API are put behind. */
  baseUrl: string;
  /** Null where there is none to give. */
  token: string | null;
  /** Where the user puts it. */
  keyVariable: string;
  fetch: typeof fetch;
}

export interface Call {
  method: 'GET' | 'POST' | 'PUT';
  path: string;
  query?: Readonly<Record<string, string>>;
  headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, or as it is when it is bytes. */
  body?: object | Uint8Array;
  /** For the head of the answer; default 60 s. */
  timeoutMs?: number;
  /** Of an answer that is read whole; default 8 MiB. */
  limitBytes?: number;
  signal?: AbortSignal;
}

const usualTimeoutMs = 60_000;
const usualLimitBytes = 8 * 2 ** 20;
const longestProblem = 500;
const problemBytes = 64 * 2 ** 10;

/** One HTTP API of a session. No call is made twice here; no token and no URL is in a message. */
export class SessionClient {
  readonly #options: SessionClientOptions;

  constructor(options: SessionClientOptions) {
    this.#options = options;
  }

  get name(): string {
    return this.#options.name;
  }

  /**
   * The answer to a call, of a 2xx. Else a HeadroomError: SESSION_REFUSED, SESSION_NOT_FOUND,
   * SESSION_CALL_FAILED, SESSION_UNREACHABLE.
   */
  async open(call: Call): Promise<Response> {
    const { baseUrl, token, fetch: send } = this.#options;
    const query = call.query === undefined ? '' : `?${new URLSearchParams(call.query)}`;
    const isBytes = call.body instanceof Uint8Array;
    const headers: Record<string, string> = { ...call.headers };
    if (token !== null) headers['authorization'] = `Bearer ${token}`;
    if (call.body !== undefined) {
      headers['content-type'] = isBytes ? 'application/octet-stream' : 'application/json';
    }
    using limit = timeLimit(call.timeoutMs ?? usualTimeoutMs);
    const signals = call.signal === undefined ? [] : [call.signal];
    try {
      const response = await send(`${baseUrl}${call.path}${query}`, {
        method: call.method,
        headers,
        signal: AbortSignal.any([limit.signal, ...signals]),
        // Followed, it would carry the token to somebody else.
        redirect: 'manual',
        ...(call.body === undefined
          ? {}
          : { body: isBytes ? call.body : JSON.stringify(call.body) }),
      } as RequestInit);
      if (response.status >= 300 && response.status < 400) throw this.#redirected(call, response);
      if (!response.ok) throw await this.#problem(call, response);
      return response;
    } catch (error) {
      throw error instanceof HeadroomError ? error : this.unreachable(call.path, error);
    }
  }

  /** The whole answer; SESSION_CALL_FAILED when it is larger than it may be. */
  async bytes(call: Call): Promise<Buffer> {
    return await this.whole(call.path, await this.open(call), call.limitBytes);
  }

  /** All of a body, of 8 MiB unless told otherwise; SESSION_CALL_FAILED when it is larger. */
  async whole(path: string, response: Response, limit = usualLimitBytes): Promise<Buffer> {
    const { bytes, isAll } = await bytesUpTo(this.body(path, response), limit);
    if (!isAll) throw this.failure(path, `the answer is larger than ${limit} bytes`);
    return bytes;
  }

  /** An answer in JSON, as an object of unknown fields, or whatever else it is. */
  async json(call: Call): Promise<unknown> {
    const text = (await this.bytes(call)).toString('utf8');
    try {
      return JSON.parse(text);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      throw this.failure(call.path, 'the answer is no JSON: is this the API of a session?');
    }
  }

  /**
   * The body of an answer, as it comes; SESSION_UNREACHABLE when it breaks off, or by the signal. A body
   * without an end needs that here as well: fetch forgets its own as soon as garbage is collected
   * (Node.js holds what was made of several signals weakly), and would wait for ever.
   */
  async *body(path: string, response: Response, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
    if (response.body === null) return;
    const reader = response.body.getReader();
    const cancel = () => void reader.cancel().catch(() => undefined);
    signal?.addEventListener('abort', cancel, { once: true });
    if (signal?.aborted === true) cancel();
    try {
      for (let read = await reader.read(); !read.done; read = await reader.read()) {
        yield read.value;
      }
      signal?.throwIfAborted();
    } catch (error) {
      throw this.unreachable(path, error);
    } finally {
      signal?.removeEventListener('abort', cancel);
      cancel();
    }
  }

  failure(path: string, problem: string): HeadroomError {
    return new HeadroomError('SESSION_CALL_FAILED', `${this.name}: ${path}: ${problem}`);
  }

  unreachable(path: string, cause: unknown): HeadroomError {
    const why = reasonOf(cause);
    return new HeadroomError('SESSION_UNREACHABLE', `${this.name}: ${path}: ${why}`, {
      cause,
      hint: 'Check the address (KERNEL_BASE_URL, or that of vm:) and that the session still runs.',
    });
  }

  /** No more of the address that it names than where that is: the rest may hold a secret. */
  #redirected(call: Call, response: Response): HeadroomError {
    void response.body?.cancel().catch(() => undefined);
    const to = response.headers.get('location') ?? '';
    const { baseUrl } = this.#options;
    const base = URL.canParse(baseUrl) ? baseUrl : undefined;
    const where = URL.canParse(to, base) ? ` to ${new URL(to, base).origin}` : '';
    const message = `${this.name}: ${call.path}: ${response.status}, a redirect${where}`;
    return new HeadroomError('SESSION_CALL_FAILED', message, {
      hint: 'It is not followed, as it would hand on the key: give the address that answers itself (KERNEL_BASE_URL, or that of vm:), such as https: for http:.',
    });
  }

  async #problem(call: Call, response: Response): Promise<HeadroomError> {
    const { keyVariable, token } = this.#options;
    // Of an answer that may have no end.
    const { bytes } = await bytesUpTo(this.body(call.path, response), problemBytes);
    const text = bytes.toString('utf8', 0, problemBytes);
    // A server may say back what it was sent.
    const problem = problemOf(token ? text.replaceAll(token, '…') : text);
    const message = `${this.name}: ${call.path}: ${response.status} ${problem}`.trimEnd();
    if (response.status === 401 || response.status === 403) {
      return new HeadroomError('SESSION_REFUSED', message, {
        hint: `Set ${keyVariable} to the key of this API; for a local host, to the token it printed.`,
      });
    }
    if (response.status === 404) {
      return new HeadroomError('SESSION_NOT_FOUND', message, {
        hint: 'Check the id: the session may have been deleted, or the process or file may be gone.',
      });
    }
    return new HeadroomError('SESSION_CALL_FAILED', message);
  }
}

/** `{ message }` of a JSON body, else its first line. */
function problemOf(text: string): string {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null && 'message' in body) {
      return String(body.message).slice(0, longestProblem);
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return (text.split('\n', 1)[0] ?? '').slice(0, longestProblem);
}

/** What fetch wraps says more than "fetch failed". */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (['AbortError', 'TimeoutError'].includes(error.name)) return 'no answer in time, or given up';
  return error.cause instanceof Error && error.cause.message !== ''
    ? error.cause.message
    : error.message;
}
