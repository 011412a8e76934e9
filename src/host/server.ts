import fs from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { Duplex } from 'node:stream';
import { errnoOf } from '../model/errors.ts';
import { bearerToken, isExpectedHost, isSameSecret } from './auth.ts';
import { proxyToBrowser } from './browser/cdp-proxy.ts';
import { browserRoutes } from './browser-routes.ts';
import { fileRoutes } from './files/file-routes.ts';
import { lockFolder } from './folder-lock.ts';
import { type Exchange, param, sendJson } from './http/exchange.ts';
import { listen } from './http/listen.ts';
import { HttpProblem } from './http/problem.ts';
import { Router, type Routes } from './http/router.ts';
import { removeLeftovers } from './leftovers.ts';
import { logRoutes } from './logs/log-routes.ts';
import { processRoutes } from './process/process-routes.ts';
import { type RegistryOptions, SessionRegistry } from './session-registry.ts';
import { telemetryArchiveRoutes, telemetryStreamRoutes } from './telemetry/telemetry-routes.ts';

export interface HostOptions extends RegistryOptions {
  /** An IP address, or localhost. */
  address: string;
  /** 0: any that is free. */
  port: number;
  token: string;
}

export interface RunningHost {
  /** `http://127.0.0.1:8787`, without a slash at the end. */
  url: string;
  /** Deletes every session; resolves when nothing of them is left. */
  close(): Promise<void>;
}

// With the 5 s that are usual a host that got no CPU for so long takes a connection for idle on which
// the next call waits already, and closes it.
const serverOptions = { requestTimeout: 0, maxHeaderSize: 16_384, keepAliveTimeout: 75_000 };

/**
 * Starts the session host in a data folder with a folder `sessions` in it, and cleans up behind one that was
 * killed. ADDRESS_NOT_USABLE, FILE_IN_USE.
 */
export async function startHost(options: HostOptions): Promise<RunningHost> {
  const { isRoot, hasPrivateTmp } = options;
  const lock = await lockFolder(options.dataFolder);
  const sessionsFolder = path.join(options.dataFolder, 'sessions');
  // Other users of the machine read no session; where they are its `as_user`, they come by its id.
  fs.chmodSync(sessionsFolder, isRoot && !hasPrivateTmp ? 0o711 : 0o700);
  const leftCount = await removeLeftovers(sessionsFolder, options.machine);
  if (leftCount > 0) options.tell(`sessions of a host that was killed, removed: ${leftCount}`);
  const registry = new SessionRegistry(options);
  const entry = new HostEntry(options, registry);
  const server = createServer(serverOptions, (request, response) => {
    void entry.answer(request, response);
  });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    entry.upgrade(request, { socket, head });
  });
  await listen(server, options);
  const { address, family, port } = server.address() as AddressInfo;
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`,
    close: async () => {
      server.close();
      await registry.close();
      server.closeAllConnections();
      lock.close();
    },
  };
}

/** Lets in who may come in, finds the handler, and turns what goes wrong into an answer. */
class HostEntry {
  readonly #options: HostOptions;
  readonly #registry: SessionRegistry;
  /** For the holder of the token. */
  readonly #api: Router;
  /**
   * Below `base_url`, for the holder of the session's own secret or of the token: the paths of the
   * server in a VM.
   */
  readonly #direct: Router;

  constructor(options: HostOptions, registry: SessionRegistry) {
    this.#options = options;
    this.#registry = registry;
    const ofSession = sessionRoutes(options, registry);
    this.#api = new Router({
      ...browserRoutes(registry),
      ...telemetryArchiveRoutes(registry, options.policy),
      ...below('/browsers/{id}', ofSession),
    });
    this.#direct = new Router(below('/sessions/{id}', ofSession));
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const { path: requestPath, query } = targetOf(request);
    const exchange: Exchange = {
      request,
      response,
      params: {},
      query,
      origin: `http://${request.headers.host ?? ''}`,
      signal: gone.signal,
    };
    try {
      const { handler, params } = this.#find(request, { path: requestPath, query });
      await handler({ ...exchange, params });
    } catch (error) {
      this.#refuse(exchange, error);
    }
  }

  upgrade(request: IncomingMessage, { socket, head }: { socket: Duplex; head: Buffer }): void {
    socket.on('error', () => socket.destroy());
    const { path: requestPath, query } = targetOf(request);
    const id = /^\/cdp\/([^/]+)$/.exec(requestPath)?.[1] ?? '';
    const session = this.#registry.living.find((candidate) => candidate.id === id);
    const isAllowed =
      isExpectedHost(request, this.#options.address) &&
      session !== undefined &&
      isSameSecret(query.get('jwt') ?? '', session.jwt);
    const devtools = session?.browser?.devtools ?? null;
    if (!isAllowed || devtools === null) {
      socket.end(`HTTP/1.1 ${isAllowed ? '503 Service Unavailable' : '401 Unauthorized'}\r\n\r\n`);
      return;
    }
    const release = session.hold('browser');
    socket.once('close', release);
    session.ending.addEventListener('abort', () => socket.destroy(), { once: true });
    proxyToBrowser(request, socket, { head, devtools });
  }

  #find(request: IncomingMessage, target: RequestTarget) {
    if (!isExpectedHost(request, this.#options.address)) {
      throw new HttpProblem(403, 'this is a private server: ask for it as localhost or 127.0.0.1');
    }
    const isDirect = target.path.startsWith('/sessions/');
    const holdsToken = isSameSecret(bearerToken(request) ?? '', this.#options.token);
    if (isDirect && !holdsToken) this.#mustHoldSecret(target);
    else if (!holdsToken) {
      throw new HttpProblem(401, 'Authorization: Bearer with the token of this host is needed');
    }
    const router = isDirect ? this.#direct : this.#api;
    const match = router.match(request.method ?? 'GET', target.path);
    if (match === 'unknown') throw new HttpProblem(404, 'no such path in this API');
    if (match === 'method') throw new HttpProblem(405, 'this path has no such method');
    return match;
  }

  #mustHoldSecret({ path: requestPath, query }: RequestTarget): void {
    const id = requestPath.split('/')[2] ?? '';
    const session = this.#registry.living.find((candidate) => candidate.id === id);
    const given = query.get('jwt') ?? '';
    if (session === undefined || !isSameSecret(given, session.jwt)) {
      throw new HttpProblem(401, 'the secret of a session that lives is needed');
    }
  }

  #refuse(exchange: Exchange, error: unknown): void {
    const { request, response, signal } = exchange;
    if (!(error instanceof HttpProblem) && !isHangUp(error, signal)) {
      // Nothing of the request: it may hold secrets.
      this.#options.tell(`this is a bug in headroom [INTERNAL]: ${stackOf(error)}`);
    }
    if (response.headersSent || signal.aborted) {
      response.destroy();
      return;
    }
    const problem =
      error instanceof HttpProblem
        ? error
        : new HttpProblem(500, 'the host failed; it says why in its messages', {
            'x-should-retry': 'false',
          });
    for (const [name, value] of Object.entries(problem.headers)) response.setHeader(name, value);
    // The rest of the body is not read.
    if (!request.complete) response.setHeader('connection', 'close');
    sendJson(exchange, { code: problem.code, message: problem.message }, problem.status);
  }
}

interface RequestTarget {
  path: string;
  query: URLSearchParams;
}

// Not by URL, which throws at some of what a stranger can send.
function targetOf({ url = '/' }: IncomingMessage): RequestTarget {
  const at = url.indexOf('?');
  return at < 0
    ? { path: url, query: new URLSearchParams() }
    : { path: url.slice(0, at), query: new URLSearchParams(url.slice(at + 1)) };
}

function sessionRoutes(options: HostOptions, registry: SessionRegistry): Routes {
  const sessionOf = (exchange: Exchange) => {
    const session = registry.find(param(exchange, 'id'));
    exchange.response.once('close', session.hold('call'));
    return session;
  };
  return {
    ...processRoutes(sessionOf, options.policy),
    ...fileRoutes(sessionOf, options.policy),
    ...logRoutes(sessionOf),
    ...telemetryStreamRoutes(sessionOf),
  };
}

function below(prefix: string, routes: Routes): Routes {
  return Object.fromEntries(
    Object.entries(routes).map(([pattern, handler]) => [
      pattern.replace(' ', ` ${prefix}`),
      handler,
    ]),
  );
}

function isHangUp(error: unknown, signal: AbortSignal): boolean {
  const errno = errnoOf(error);
  return signal.aborted || errno === 'ECONNRESET' || errno === 'ERR_STREAM_PREMATURE_CLOSE';
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
