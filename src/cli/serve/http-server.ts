import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { listen } from '../../host/http/listen.ts';
import { isLoopbackHost } from '../../model/loopback-host.ts';

export interface HttpRequest {
  /** Of the URL, as it came. */
  path: string;
  query: URLSearchParams;
  accept: string | undefined;
}

export interface HttpAnswer {
  status: number;
  contentType: string;
  body: string;
  headers?: Readonly<Record<string, string>>;
}

/** An answer that goes on: what is written is sent, until the client has gone. */
export interface HttpStream {
  contentType: string;
  /** Begins it; gives what is to be called at its end. */
  open(write: (text: string) => void): () => void;
}

export interface HttpServerOptions {
  /** An IP address, or localhost. */
  address: string;
  /** 0: any that is free. */
  port: number;
  answer(request: HttpRequest): HttpAnswer | HttpStream | Promise<HttpAnswer>;
  /** An error that `answer` threw; the client is told nothing of it. */
  onError(error: unknown): void;
  /** Default: {@link defaultLimits}. */
  limits?: Partial<typeof defaultLimits>;
}

export interface RunningHttpServer {
  /** `http://127.0.0.1:9464`, without a slash at the end. */
  url: string;
  close(): Promise<void>;
}

/** What one client may take, so that a slow or hostile one does not keep others from being served. */
export const defaultLimits = {
  /** Also the names of a thousand recordings that are asked about. */
  headerBytes: 65_536,
  /** For the request, from the first byte to the last. */
  requestMs: 20_000,
  /** For a connection on which nothing happens. */
  idleMs: 30_000,
  /** For an answer to be taken. */
  answerMs: 30_000,
  /** With more, the oldest goes. */
  connections: 64,
  /** For what a stream has written and its client has not taken. */
  streamBytes: 1_000_000,
};

/**
 * An HTTP server for a few small answers to GET and HEAD. On loopback it answers only those who name
 * it as such: a web page that points its own name at 127.0.0.1 gets nothing. ADDRESS_NOT_USABLE.
 */
export async function startHttpServer(options: HttpServerOptions): Promise<RunningHttpServer> {
  const limits = { ...defaultLimits, ...options.limits };
  const server = createServer(
    {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.requestMs,
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: Math.min(1_000, limits.requestMs),
      keepAliveTimeout: limits.idleMs,
    },
    (request, response) => {
      void respond(request, response, { ...options, limits });
    },
  );
  // Nobody listens for it: the connection is closed.
  server.setTimeout(limits.idleMs);
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    const [oldest] = sockets;
    if (sockets.size > limits.connections) oldest?.destroy();
  });
  await listen(server, options);
  const { address, family, port } = server.address() as AddressInfo;
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  options: HttpServerOptions & { limits: typeof defaultLimits },
): Promise<void> {
  const { limits } = options;
  const timer = setTimeout(() => response.destroy(), limits.answerMs);
  response.once('close', () => clearTimeout(timer));
  const answer = await answerTo(request, options);
  const headers = {
    'content-type': answer.contentType,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'content-security-policy': "default-src 'none'",
    ...('headers' in answer ? answer.headers : {}),
    // What else it has to say is not read.
    ...(isBodiless(request) ? {} : { connection: 'close' }),
  };
  if (response.destroyed) return;
  if ('open' in answer) {
    clearTimeout(timer);
    response.writeHead(200, headers);
    if (request.method === 'HEAD') response.end();
    else stream(response, answer, limits.streamBytes);
    return;
  }
  const { status, body } = answer;
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
  response.end(request.method === 'HEAD' ? undefined : body);
}

function stream(response: ServerResponse, answer: HttpStream, mostBytes: number): void {
  response.flushHeaders();
  const end = answer.open((text) => {
    response.write(text);
    // It does not listen any more.
    if (response.writableLength > mostBytes) response.destroy();
  });
  response.once('close', end);
}

async function answerTo(
  request: IncomingMessage,
  options: HttpServerOptions,
): Promise<HttpAnswer | HttpStream> {
  const { method, headers } = request;
  if (method !== 'GET' && method !== 'HEAD') {
    return { ...refusal(405, 'only GET and HEAD'), headers: { allow: 'GET, HEAD' } };
  }
  if (isLoopbackHost(options.address) && !isLoopbackHost(hostName(headers.host))) {
    return refusal(403, 'this is a private server: ask for it as localhost or 127.0.0.1');
  }
  if (headers.origin !== undefined && headers.origin !== `http://${headers.host ?? ''}`) {
    return refusal(403, 'only its own page may ask');
  }
  const [path = '/', query] = splitOnce(request.url ?? '/');
  try {
    return await options.answer({
      path,
      query: new URLSearchParams(query),
      accept: headers.accept,
    });
  } catch (error) {
    options.onError(error);
    return refusal(500, 'it could not be read; see the messages of headroom serve');
  }
}

function isBodiless({ method, headers }: IncomingMessage): boolean {
  const length = headers['content-length'] ?? '0';
  const isRead = method === 'GET' || method === 'HEAD';
  return isRead && length === '0' && headers['transfer-encoding'] === undefined;
}

function refusal(status: number, text: string): HttpAnswer {
  return { status, contentType: 'text/plain; charset=utf-8', body: `${text}\n` };
}

// Without a Host, as in HTTP/1.0, it is no browser.
function hostName(host: string | undefined): string {
  return (host ?? 'localhost').replace(/:\d*$/, '').replace(/^\[(.*)\]$/, '$1');
}

function splitOnce(url: string): [string, string] {
  const at = url.indexOf('?');
  return at < 0 ? [url, ''] : [url.slice(0, at), url.slice(at + 1)];
}
