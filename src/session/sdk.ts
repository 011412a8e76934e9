import { ProcessApi } from './process-api.ts';
import type { Session } from './session.ts';
import { SessionClient } from './session-client.ts';

/**
 * What is needed of a client of `@onkernel/sdk`: the calls below its named methods, whose shape has
 * not changed between versions, unlike the names of path parameters. Its address, key, project, fetch
 * and routing are then the user's.
 */
export interface SdkClient {
  get(path: string, options?: SdkCall): SdkReply;
  post(path: string, options?: SdkCall): SdkReply;
  put(path: string, options?: SdkCall): SdkReply;
}

export interface SdkCall {
  body?: unknown;
  headers?: Record<string, string>;
  maxRetries?: number;
  /** For the head of the answer, ms. */
  timeout?: number;
  signal?: AbortSignal;
}

export interface SdkReply {
  asResponse(): Promise<Response>;
}

// Each call has a shorter one of its own.
const timeoutMs = 600_000;

/** A session of the hosted API, or of a host with the same API, by the user's own client. */
export function sdkSession(client: SdkClient, id: string): Session {
  const baseUrl = `/browsers/${encodeURIComponent(id)}`;
  const send = (url: unknown, init: RequestInit = {}) => call(client, String(url), init);
  const options = {
    name: `kernel:${id}`,
    baseUrl,
    token: null,
    keyVariable: 'KERNEL_API_KEY',
    fetch: send as typeof fetch,
  };
  return new ProcessApi(new SessionClient(options));
}

async function call(client: SdkClient, path: string, init: RequestInit): Promise<Response> {
  const method = { GET: 'get', POST: 'post', PUT: 'put' }[init.method ?? 'GET'];
  if (method !== 'get' && method !== 'post' && method !== 'put') {
    throw new TypeError(`no call with ${init.method}`);
  }
  const options: SdkCall = {
    headers: { ...(init.headers as Record<string, string>), accept: '*/*' },
    // A command that was sent may have run, also when no answer came.
    maxRetries: 0,
    timeout: timeoutMs,
    ...(init.body == null ? {} : { body: bodyOf(init.body) }),
    ...(init.signal == null ? {} : { signal: init.signal }),
  };
  try {
    return await client[method](path, options).asResponse();
  } catch (error) {
    const response = answerIn(error);
    if (response === null) throw error;
    return response;
  }
}

/** The client makes JSON of an object, and of a string too. */
function bodyOf(body: unknown): unknown {
  return typeof body === 'string' ? JSON.parse(body) : body;
}

/** The client throws an answer that is no success; null for an error that is none. */
function answerIn(error: unknown): Response | null {
  if (!(error instanceof Error) || !('status' in error)) return null;
  const { status } = error;
  if (typeof status !== 'number' || status < 400 || status > 599) return null;
  const body = 'error' in error && error.error != null ? error.error : { message: error.message };
  return new Response(JSON.stringify(body), { status });
}
