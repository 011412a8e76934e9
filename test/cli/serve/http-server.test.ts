import net from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import {
  type HttpAnswer,
  type HttpRequest,
  type HttpServerOptions,
  type RunningHttpServer,
  startHttpServer,
} from '../../../src/cli/serve/http-server.ts';

const running: RunningHttpServer[] = [];

afterEach(async () => {
  for (const server of running.splice(0)) await server.close();
});

test('GET gets the answer, HEAD its headers', async () => {
  const url = await start();
  const got = await fetch(`${url}/a/b?x=1&y=%20`);
  expect(got.status).toBe(200);
  expect(await got.text()).toBe('GET /a/b {"x":"1","y":" "}');
  const head = await fetch(`${url}/a`, { method: 'HEAD' });
  expect(head.headers.get('content-length')).toBe('9');
  expect(await head.text()).toBe('');
});

test.each(['POST', 'PUT', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'M-SEARCH'])(
  '%s is not taken',
  async (method) => {
    const url = await start();
    const text = await talk(url, `${method} / HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    expect(text).toMatch(/^HTTP\/1\.1 405 /);
    expect(text).toMatch(/\r\nallow: GET, HEAD\r\n/i);
  },
);

describe('on loopback, who calls it by another name gets nothing (DNS rebinding)', () => {
  test.each([
    ['localhost:9464', 200],
    ['127.0.0.1', 200],
    ['[::1]:9464', 200],
    ['evil.test', 403],
    ['evil.test:9464', 403],
    ['127.0.0.1.evil.test', 403],
    ['localhost@evil.test', 403],
    ['', 403],
  ])('Host: %s is %d', async (host, status) => {
    const url = await start();
    const text = await talk(url, `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });

  test('without a Host in HTTP/1.1 it is a bad request', async () => {
    expect(await talk(await start(), 'GET / HTTP/1.1\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /);
  });
});

describe('a page of another origin gets nothing', () => {
  test.each([
    ['http://evil.test', 403],
    ['https://127.0.0.1', 403],
    ['null', 403],
    ['http://127.0.0.1', 200],
  ])('Origin: %s is %d', async (origin, status) => {
    const url = await start();
    const head = `GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: ${origin}\r\nConnection: close\r\n\r\n`;
    expect(await talk(url, head)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });
});

describe('an answer that goes on', () => {
  test('is sent as it is written, and ended when its client goes', async () => {
    let write: (text: string) => void = () => undefined;
    let ended = false;
    const url = await start({
      answer: () => ({
        contentType: 'text/event-stream',
        open(given) {
          write = given;
          write('first\n');
          return () => {
            ended = true;
          };
        },
      }),
    });
    const client = new AbortController();
    const response = await fetch(url, { signal: client.signal });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    expect(await reader?.read()).toMatchObject({ value: 'first\n' });
    write('second\n');
    expect(await reader?.read()).toMatchObject({ value: 'second\n' });
    client.abort();
    await expect.poll(() => ended, { timeout: 60_000 }).toBe(true);
  });

  test('a client that takes nothing is left', async () => {
    let ended = false;
    const url = await start({
      limits: { streamBytes: 100_000 },
      answer: () => ({
        contentType: 'text/event-stream',
        open(write) {
          const timer = setInterval(() => write('x'.repeat(1_000_000)), 5);
          return () => {
            clearInterval(timer);
            ended = true;
          };
        },
      }),
    });
    const { hostname, port } = new URL(url);
    const socket = net.connect(Number(port), hostname);
    socket.pause();
    socket.on('error', () => undefined);
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await expect.poll(() => ended, { timeout: 60_000 }).toBe(true);
    socket.destroy();
  });
});

describe('one client cannot keep others from being served', () => {
  test('headers that are too large are refused', async () => {
    const url = await start();
    const text = await talk(
      url,
      `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(66_000)}\r\n\r\n`,
    );
    expect(text).toMatch(/^HTTP\/1\.1 431 /);
  });

  test('a request that never ends is ended', async () => {
    const url = await start({ limits: { requestMs: 300, idleMs: 60_000 } });
    const text = await talk(url, 'GET / HTTP/1.1\r\nHost: localhost\r\n');
    expect(text).toMatch(/^HTTP\/1\.1 408 /);
  });

  test('a connection that says nothing is closed', async () => {
    const url = await start({ limits: { idleMs: 300 } });
    expect(await talk(url, '')).toBe('');
  });

  test('an answer that is not taken is given up', async () => {
    const url = await start({
      limits: { answerMs: 500, idleMs: 60_000 },
      answer: () => plain('x'.repeat(20_000_000)),
    });
    const socket = net.connect(portOf(url), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    socket.pause();
    // Blank lines before a next request, that tell whether the server is still there.
    const asking = setInterval(() => socket.write('\r\n'), 50);
    await new Promise((resolve) => socket.once('close', resolve));
    clearInterval(asking);
  });

  test('of too many connections the oldest goes', async () => {
    const url = await start({ limits: { connections: 4 } });
    const closed: number[] = [];
    const sockets = Array.from({ length: 4 }, (_, index) => {
      const socket = net.connect(portOf(url), '127.0.0.1');
      socket.on('error', () => undefined);
      socket.once('close', () => closed.push(index));
      return socket;
    });
    await Promise.all(sockets.map((socket) => new Promise((r) => socket.once('connect', r))));
    // Accepted in their order, before this one.
    expect((await fetch(url)).status).toBe(200);
    expect(closed).toEqual([0]);
    for (const socket of sockets) socket.destroy();
  });

  test('a body is not read', async () => {
    const url = await start();
    const request = 'GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\nx';
    expect(await talk(url, request)).toMatch(/^HTTP\/1\.1 200 [\s\S]*\r\nconnection: close\r\n/i);
  });

  test.each([
    'GET http://evil.test/ HTTP/1.1',
    'GET //evil.test/%00%ff?%zz&=&&x HTTP/1.1',
    'GET * HTTP/1.1',
  ])('%s is answered', async (line) => {
    const text = await talk(
      await start(),
      `${line}\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
    );
    expect(text).toMatch(/^HTTP\/1\.1 200 /);
  });

  test.each(['\x16\x03\x01\x02\x00', 'SSH-2.0-x\r\n\r\n', '\0'.repeat(100)])(
    '%j is no request',
    async (bytes) => {
      expect(await talk(await start(), bytes)).toMatch(/^HTTP\/1\.1 400 /);
    },
  );
});

test('an error of the answer is told here, not to the client, and the next one is served', async () => {
  const errors: unknown[] = [];
  let asked = 0;
  const url = await start({
    answer: () => {
      if (asked++ === 0) throw new Error('secret');
      return plain('ok');
    },
    onError: (error) => errors.push(error),
  });
  const failed = await fetch(url);
  expect(failed.status).toBe(500);
  expect(await failed.text()).not.toContain('secret');
  expect(errors).toEqual([new Error('secret')]);
  expect((await fetch(url)).status).toBe(200);
});

test('a port that is taken is ADDRESS_NOT_USABLE', async () => {
  const url = await start();
  await expect(
    startHttpServer({
      address: '127.0.0.1',
      port: portOf(url),
      answer: () => plain(''),
      onError: () => undefined,
    }),
  ).rejects.toMatchObject({
    code: 'ADDRESS_NOT_USABLE',
    message: `cannot listen on 127.0.0.1:${portOf(url)}: another program listens there`,
  });
});

async function start(parts: Partial<HttpServerOptions> = {}): Promise<string> {
  const server = await startHttpServer({
    address: '127.0.0.1',
    port: 0,
    answer: ({ path, query }: HttpRequest) =>
      plain(`GET ${path} ${JSON.stringify(Object.fromEntries(query))}`),
    onError: (error) => {
      throw error;
    },
    ...parts,
  });
  running.push(server);
  return server.url;
}

function plain(body: string): HttpAnswer {
  return { status: 200, contentType: 'text/plain', body };
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}

/** Sends these bytes and gives all that comes back, until the server hangs up. */
function talk(url: string, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket = net.connect(portOf(url), '127.0.0.1');
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      text += chunk;
    });
    // A reset after the answer: part of what was sent was not read.
    socket.on('error', () => undefined);
    socket.once('close', () => resolve(text));
    socket.write(Buffer.from(bytes, 'latin1'));
  });
}
