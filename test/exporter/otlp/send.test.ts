import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import zlib from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { SignalTarget } from '../../../src/exporter/otlp/endpoint.ts';
import { createSender } from '../../../src/exporter/otlp/send.ts';
import { HeadroomError } from '../../../src/model/errors.ts';
import { jsonSignal } from '../../support/export-fakes.ts';

const servers: http.Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

test('one POST with the body, its type and length, our name and the headers of the user', async () => {
  const { url, requests } = await listen((_, response) => response.end('{}'));
  const target = jsonSignal(`${url}/base/v1/metrics?tenant=1`, {
    headers: { authorization: 'Bearer abc' },
  });
  await createSender({ ...target, encoding: 'protobuf' })(Buffer.from('payload'));
  expect(requests).toHaveLength(1);
  expect(requests[0]).toMatchObject({
    method: 'POST',
    url: '/base/v1/metrics?tenant=1',
    body: 'payload',
    headers: {
      'content-type': 'application/x-protobuf',
      'content-length': '7',
      authorization: 'Bearer abc',
      'user-agent': 'headroom/0.1.0',
    },
  });
});

test('JSON is sent as JSON, and compressed when asked', async () => {
  const { url, requests } = await listen((_, response) => response.end());
  const send = createSender(jsonSignal(url, { compression: 'gzip' }));
  expect(await send(Buffer.from('{"a":1}'))).toEqual({ kind: 'sent' });
  expect(requests[0]?.headers).toMatchObject({
    'content-type': 'application/json',
    'content-encoding': 'gzip',
  });
  expect(zlib.gunzipSync(requests[0]?.raw ?? '').toString()).toBe('{"a":1}');
});

test('a body of 200 without bound is read to a bound, and is no answer of a receiver', async () => {
  const { url } = await listen((_, response) => {
    response.writeHead(200, { 'content-type': 'application/x-protobuf' });
    writeOn(response);
  });
  const send = createSender(jsonSignal(url, { timeoutMs: null }));
  expect(await send(Buffer.from('x'))).toMatchObject({
    kind: 'misconfigured',
    message: expect.stringContaining('answers 200, but not as an OTLP receiver'),
  });
});

test('user and password of the URL are sent as basic authentication', async () => {
  const { url, requests } = await listen((_, response) => response.end());
  await createSender(jsonSignal(url.replace('//', '//user:p%40ss@')))(Buffer.from('x'));
  expect(requests[0]?.headers.authorization).toBe(
    `Basic ${Buffer.from('user:p@ss').toString('base64')}`,
  );
});

test('one connection serves all requests', async () => {
  const { url, requests } = await listen((_, response) => response.end());
  const send = createSender(jsonSignal(url));
  for (let n = 0; n < 3; n++) await send(Buffer.from('x'));
  expect(new Set(requests.map(({ port }) => port)).size).toBe(1);
});

test('a kept connection that was closed meanwhile is no failure of the receiver', async () => {
  const ports: number[] = [];
  const { url } = await listen((request, response) => {
    ports.push(request.socket.remotePort ?? 0);
    if (ports.length === 2) request.socket.destroy();
    else response.end();
  });
  const send = createSender(jsonSignal(url));
  for (let n = 0; n < 2; n++) expect(await send(Buffer.from('x'))).toEqual({ kind: 'sent' });
  expect(ports).toEqual([ports[0], ports[0], expect.not.toSatisfy((port) => port === ports[0])]);
});

test('a redirect is not followed', async () => {
  const { url } = await listen((_, response) =>
    response.writeHead(307, { location: 'http://elsewhere.example/' }).end(),
  );
  expect(await createSender(jsonSignal(url))(Buffer.from('x'))).toMatchObject({
    kind: 'misconfigured',
    message: `${url}/v1/metrics answers 307 and points to http://elsewhere.example/`,
  });
});

describe('answers that do not end', () => {
  const cases: [string, http.RequestListener, object][] = [
    [
      'a server that never answers',
      () => undefined,
      { kind: 'retry', afterMs: null, reason: 'no answer within 300 ms' },
    ],
    [
      'a body of 200 that never ends',
      (_, response) => response.writeHead(200).write('{'),
      { kind: 'retry', afterMs: null, reason: 'no answer within 300 ms' },
    ],
    [
      'a body of 400 that never ends: the status says enough',
      (_, response) => response.writeHead(400).write('no'),
      { kind: 'rejected', status: 400, message: 'no' },
    ],
    [
      'a body of 400 without bound',
      (_, response) => {
        response.writeHead(400);
        writeOn(response);
      },
      { kind: 'rejected', status: 400, message: 'x'.repeat(500) },
    ],
    [
      'a connection that is reset before an answer',
      (request) => request.socket.destroy(),
      { kind: 'retry', afterMs: null, reason: 'ECONNRESET' },
    ],
    [
      'a connection that is reset within a body of 200',
      (request, response) => {
        response.writeHead(200, { 'content-length': 100 }).write('{');
        setTimeout(() => request.socket.destroy(), 20);
      },
      { kind: 'retry', afterMs: null, reason: 'ECONNRESET' },
    ],
  ];

  test.each(cases)('%s', async (_, listener, expected) => {
    const { url } = await listen(listener);
    // A status has to arrive before the time is over, also on a machine with much else to do.
    const timeoutMs = 'status' in expected ? 5000 : 300;
    const send = createSender(jsonSignal(url, { timeoutMs }));
    expect(await send(Buffer.from('x'))).toEqual(expected);
  });
});

test('a request is ended when the export has to end', async () => {
  const { url } = await listen(() => undefined);
  const end = new AbortController();
  const result = createSender(jsonSignal(url))(Buffer.from('x'), end.signal);
  end.abort();
  expect(await result).toEqual({ kind: 'retry', afterMs: null, reason: 'no answer yet' });
});

test('nobody listening is waited for', async () => {
  const { url } = await listen(() => undefined);
  for (const server of servers.splice(0)) await new Promise((done) => server.close(done));
  expect(await createSender(jsonSignal(url))(Buffer.from('x'))).toEqual({
    kind: 'retry',
    afterMs: null,
    reason: 'ECONNREFUSED',
  });
});

describe('https', () => {
  let folder = '';
  const file = (name: string) => path.join(folder, name);

  beforeAll(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'headroom-tls-'));
    execFileSync(
      'openssl',
      [
        ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'],
        ...['-keyout', file('key.pem'), '-out', file('cert.pem'), '-days', '2'],
        ...['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'],
      ],
      { stdio: 'ignore' },
    );
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const secure = (listener: http.RequestListener, options: https.ServerOptions = {}) =>
    listen(listener, (handler) =>
      https.createServer(
        { key: readFileSync(file('key.pem')), cert: readFileSync(file('cert.pem')), ...options },
        handler,
      ),
    );

  test('a certificate that nobody vouches for is for somebody to set right', async () => {
    const { url } = await secure((_, response) => response.end());
    expect(await createSender(jsonSignal(url))(Buffer.from('x'))).toMatchObject({
      kind: 'misconfigured',
      message: expect.stringContaining('does not speak https with us'),
    });
  });

  test('an authority of one’s own, and a client certificate, from the files that are named', async () => {
    const { url } = await secure((_, response) => response.end(), {
      ca: readFileSync(file('cert.pem')),
      requestCert: true,
      rejectUnauthorized: true,
    });
    const files: Partial<SignalTarget> = {
      certificateFile: file('cert.pem'),
      clientCertificateFile: file('cert.pem'),
      clientKeyFile: file('key.pem'),
    };
    expect(await createSender(jsonSignal(url, files))(Buffer.from('x'))).toEqual({ kind: 'sent' });
  });

  test('https to a server that speaks http', async () => {
    const { url } = await listen((_, response) => response.end());
    const target = jsonSignal(url.replace('http:', 'https:'));
    expect(await createSender(target)(Buffer.from('x'))).toMatchObject({ kind: 'misconfigured' });
  });

  test('a certificate file that is not there is named', () => {
    const target = jsonSignal('https://h', { certificateFile: file('missing.pem') });
    expect(() => createSender(target)).toThrow(
      expect.toSatisfy(
        (error) =>
          error instanceof HeadroomError &&
          error.code === 'ENDPOINT_INVALID' &&
          error.message.includes('OTEL_EXPORTER_OTLP_CERTIFICATE') &&
          error.message.includes('ENOENT'),
      ),
    );
  });

  test.each([
    ['a device, which is waited for like a pipe', '/dev/zero', 'is no regular file'],
    ['a file of something else', import.meta.filename, 'holds no PEM'],
  ])('%s is no certificate', (_, certificateFile, problem) => {
    const target = jsonSignal('https://h', { certificateFile });
    expect(() => createSender(target)).toThrow(problem);
  });
});

interface SeenRequest {
  method: string | undefined;
  url: string | undefined;
  headers: http.IncomingHttpHeaders;
  raw: Buffer;
  body: string;
  port: number | undefined;
}

/** Until nobody reads any more. */
function writeOn(response: http.ServerResponse): void {
  const write = () => {
    while (!response.destroyed && response.write('x'.repeat(65_536)));
  };
  response.on('drain', write);
  write();
}

/** Answers when the whole request has been read. */
async function listen(
  listener: http.RequestListener,
  create: (handler: http.RequestListener) => http.Server = (handler) => http.createServer(handler),
): Promise<{ url: string; requests: SeenRequest[] }> {
  const requests: SeenRequest[] = [];
  const server = create((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const raw = Buffer.concat(chunks);
      requests.push({
        method: request.method,
        url: request.url,
        headers: request.headers,
        raw,
        body: raw.toString(),
        port: request.socket.remotePort,
      });
      listener(request, response);
    });
  });
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `${server instanceof https.Server ? 'https' : 'http'}://127.0.0.1:${port}`,
    requests,
  };
}
