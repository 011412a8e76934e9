import type { WebSocket } from 'ws';
import { HeadroomError } from '../../model/errors.ts';

/** What the browser tells by itself. */
export interface DevtoolsEvent {
  method: string;
  params: Readonly<Record<string, unknown>>;
}

/** Its answer to a request; null: an error, or none in time. */
export type DevtoolsAnswer = Readonly<Record<string, unknown>> | null;

export interface DevtoolsRequest {
  method: string;
  params?: Readonly<Record<string, unknown>>;
  /** Of a target that was attached to; left out for the browser itself. */
  sessionId?: string;
}

const openTimeoutMs = 10_000;
// A page that has crashed never answers.
const answerTimeoutMs = 3_000;
// Addresses may hold whole documents (`data:`), and a list of targets has many.
const longestMessage = 64 * 2 ** 20;
const mostWaiting = 64;

/** A connection to a browser's debugging protocol, https://chromedevtools.github.io/devtools-protocol/. */
export class DevtoolsConnection {
  /** Resolves when it is over, however that came. */
  readonly closed: Promise<void>;
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (answer: DevtoolsAnswer) => void>();
  readonly #onEvent: (event: DevtoolsEvent) => void;
  #lastId = 0;

  private constructor(socket: WebSocket, onEvent: (event: DevtoolsEvent) => void) {
    this.#socket = socket;
    this.#onEvent = onEvent;
    socket.on('message', (data) => this.#take(String(data)));
    socket.on('error', () => socket.terminate());
    this.closed = new Promise((resolve) => {
      socket.once('close', () => {
        for (const answer of this.#waiting.values()) answer(null);
        this.#waiting.clear();
        resolve();
      });
    });
  }

  /** Ends with the signal, if one is given. DEVTOOLS_UNREACHABLE when there is no such connection to be had. */
  static async open(
    url: string,
    onEvent: (event: DevtoolsEvent) => void,
    signal?: AbortSignal,
  ): Promise<DevtoolsConnection> {
    const { WebSocket } = await import('ws');
    const socket = new WebSocket(url, {
      handshakeTimeout: openTimeoutMs,
      maxPayload: longestMessage,
      perMessageDeflate: false,
    });
    const end = () => socket.terminate();
    signal?.addEventListener('abort', end, { once: true });
    socket.once('close', () => signal?.removeEventListener('abort', end));
    if (signal?.aborted === true) end();
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', (cause) => reject(unreachable(url, cause)));
    });
    return new DevtoolsConnection(socket, onEvent);
  }

  /** Asks, and waits for the answer for 3 s at most. */
  async ask({ method, params = {}, sessionId }: DevtoolsRequest): Promise<DevtoolsAnswer> {
    if (this.#socket.readyState !== this.#socket.OPEN || this.#waiting.size >= mostWaiting) {
      return null;
    }
    const id = ++this.#lastId;
    return await new Promise<DevtoolsAnswer>((resolve) => {
      const timer = setTimeout(() => settle(null), answerTimeoutMs);
      const settle = (answer: DevtoolsAnswer) => {
        clearTimeout(timer);
        this.#waiting.delete(id);
        resolve(answer);
      };
      this.#waiting.set(id, settle);
      this.#socket.send(JSON.stringify({ id, method, params, sessionId }));
    });
  }

  close(): void {
    this.#socket.terminate();
  }

  #take(text: string): void {
    const message = parseObject(text);
    if (message === null) return;
    const { id, method, result, params, sessionId } = message;
    if (typeof id === 'number') this.#waiting.get(id)?.(isObject(result) ? result : null);
    // What targets tell that are attached to for a moment is of no interest.
    else if (typeof method === 'string' && sessionId === undefined) {
      this.#onEvent({ method, params: isObject(params) ? params : {} });
    }
  }
}

/** The JSON object in a text; null when there is none. */
export function parseObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Whether a value that somebody sent has fields. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** DEVTOOLS_UNREACHABLE, of an address where nothing answers as it should. */
export function unreachable(address: string | URL, cause: Error): HeadroomError {
  const { host } = new URL(address);
  return new HeadroomError('DEVTOOLS_UNREACHABLE', `${host}: ${cause.message}`, {
    cause,
    hint: 'Start the browser with --remote-debugging-port=N, and give --cdp http://localhost:N.',
  });
}
