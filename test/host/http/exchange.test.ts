import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { type Exchange, readBody } from '../../../src/host/http/exchange.ts';

function exchangeOf(chunks: readonly string[]) {
  const request = Readable.from(chunks.map((chunk) => Buffer.from(chunk)));
  const exchange = { request: request as IncomingMessage } as Exchange;
  return { request, exchange };
}

test('a body of as many bytes as it may have is read whole', async () => {
  const { exchange } = exchangeOf(['ab', 'cd']);
  expect(await readBody(exchange, 4)).toEqual(Buffer.from('abcd'));
});

test('a longer one is refused over the connection on which it came', async () => {
  const { exchange, request } = exchangeOf(['ab', 'cd', 'e']);
  await expect(readBody(exchange, 3)).rejects.toMatchObject({ status: 413 });
  expect(request.destroyed).toBe(false);
});
