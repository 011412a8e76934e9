import type { IncomingMessage, ServerResponse } from 'node:http';
import { bytesUpTo } from '../../model/bytes-up-to.ts';
import { HttpProblem } from './problem.ts';

/** One request and its response. */
export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  /** Of the route: `{id}` in its pattern, decoded. */
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  /** `http://127.0.0.1:8787`, as the client names this host. */
  origin: string;
  /** Fires when the client went away before it had its answer. */
  signal: AbortSignal;
}

/** A parameter of the route. */
export function param({ params }: Exchange, name: string): string {
  return params[name] ?? '';
}

export function sendJson({ response }: Exchange, body: unknown, status = 200): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}

export function sendEmpty({ response }: Exchange, status: number): void {
  response.writeHead(status, status === 204 ? {} : { 'content-length': 0 });
  response.end();
}

/** A whole page of a list, as the SDK walks it. */
export function sendPage(exchange: Exchange, items: readonly unknown[], nextOffset: number): void {
  exchange.response.setHeader('x-has-more', String(nextOffset > 0));
  exchange.response.setHeader('x-next-offset', String(nextOffset));
  sendJson(exchange, items);
}

/** The body, at most so many bytes; 413 beyond. */
export async function readBody(exchange: Exchange, limitBytes: number): Promise<Buffer> {
  // Left early, the connection has to last: the answer goes over it.
  const chunks = exchange.request.iterator({ destroyOnReturn: false });
  const { bytes, isAll } = await bytesUpTo(chunks, limitBytes);
  if (!isAll) throw new HttpProblem(413, `the body is larger than ${limitBytes} bytes`);
  return bytes;
}
