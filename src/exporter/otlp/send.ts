import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { errnoOf, HeadroomError } from '../../model/errors.ts';
import { timeLimit } from '../../model/time-limit.ts';
import { headroomVersion } from '../../model/version.ts';
import type { SignalTarget } from './endpoint.ts';
import { type HttpAnswer, readAnswer, type SendResult } from './response.ts';

/** Sends one body. The signal ends it early; the result is then a retry. */
export type Send = (body: Uint8Array, signal?: AbortSignal) => Promise<SendResult>;

const gzip = promisify(zlib.gzip);
const largestAnswerBytes = 65_536;
// Node's names for a peer that does not speak what we do; waiting does not help.
const protocolErrors =
  /^(HPE_|EPROTO$|ERR_SSL_|ERR_TLS_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/;

/**
 * A sender over node:http(s) with one kept-alive connection (global fetch costs 20 MiB more). Reads
 * the certificate files at once: ENDPOINT_INVALID when one cannot be read.
 */
export function createSender(target: SignalTarget, now: () => number = Date.now): Send {
  const isHttps = target.url.protocol === 'https:';
  const agent = isHttps
    ? new https.Agent({
        keepAlive: true,
        maxSockets: 1,
        ca: readPem('CERTIFICATE', target.certificateFile),
        cert: readPem('CLIENT_CERTIFICATE', target.clientCertificateFile),
        key: readPem('CLIENT_KEY', target.clientKeyFile),
      })
    : new http.Agent({ keepAlive: true, maxSockets: 1 });
  const request = isHttps ? https.request : http.request;
  return async (body, signal) => {
    const compressed = target.compression === 'gzip' ? await gzip(body) : body;
    using limit = target.timeoutMs === null ? null : timeLimit(target.timeoutMs);
    const signals = [limit?.signal, signal].filter((one) => one !== undefined);
    try {
      const options = {
        agent,
        method: 'POST',
        headers: requestHeaders(target, compressed.byteLength),
        signal: AbortSignal.any(signals),
      };
      const answer = await exchangeAfresh(() => request(target.url, options), compressed);
      return readAnswer(answer, target.name, now());
    } catch (error) {
      return readFailure(error, target, signal?.aborted === true);
    }
  };
}

function requestHeaders(target: SignalTarget, bodyBytes: number): http.OutgoingHttpHeaders {
  return {
    'user-agent': `headroom/${headroomVersion}`,
    ...target.headers,
    'content-type': target.encoding === 'json' ? 'application/json' : 'application/x-protobuf',
    ...(target.compression === 'gzip' ? { 'content-encoding': 'gzip' } : {}),
    'content-length': bodyBytes,
  };
}

// The other side may close a kept connection at the very moment in which it is used again; that says
// nothing of the receiver, and the request is made again on a new one.
async function exchangeAfresh(
  makeRequest: () => http.ClientRequest,
  body: Uint8Array,
): Promise<HttpAnswer> {
  const request = makeRequest();
  try {
    return await exchange(request, body);
  } catch (error) {
    const wasClosed = ['ECONNRESET', 'EPIPE'].includes(errnoOf(error) ?? '');
    if (!request.reusedSocket || !wasClosed) throw error;
    return await exchange(makeRequest(), body);
  }
}

// Resolves with the answer, its body cut at a bound. An answer that breaks off is one when its
// status says enough, which a 2xx does not.
function exchange(request: http.ClientRequest, body: Uint8Array): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    let response: http.IncomingMessage | null = null;
    const finish = (from: http.IncomingMessage): void =>
      resolve(answerOf(from, { body: Buffer.concat(chunks), isCut: bytes > largestAnswerBytes }));
    const fail = (error: Error): void => {
      if (response !== null && (response.statusCode ?? 0) >= 300) finish(response);
      else reject(error);
    };
    request.on('error', fail);
    request.once('response', (incoming) => {
      response = incoming;
      incoming.on('error', fail);
      incoming.once('end', () => finish(incoming));
      incoming.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes <= largestAnswerBytes) {
          chunks.push(chunk);
        } else {
          finish(incoming);
          request.destroy();
        }
      });
    });
    request.end(body);
  });
}

function answerOf(
  response: http.IncomingMessage,
  { body, isCut }: Pick<HttpAnswer, 'body' | 'isCut'>,
): HttpAnswer {
  return {
    status: response.statusCode ?? 0,
    contentType: response.headers['content-type'] ?? '',
    retryAfter: response.headers['retry-after'] ?? null,
    location: response.headers.location ?? null,
    body,
    isCut,
  };
}

function readFailure(error: unknown, target: SignalTarget, wasEnded: boolean): SendResult {
  if (!(error instanceof Error)) throw error;
  if (error.name === 'AbortError') {
    const reason = wasEnded ? 'no answer yet' : `no answer within ${target.timeoutMs} ms`;
    return { kind: 'retry', afterMs: null, reason };
  }
  const code = errnoOf(error);
  if (code !== null && protocolErrors.test(code)) {
    return {
      kind: 'misconfigured',
      message: `${target.name} does not speak ${target.url.protocol.slice(0, -1)} with us: ${error.message}`,
      hint: 'Check http against https, and OTEL_EXPORTER_OTLP_CERTIFICATE for a private authority.',
    };
  }
  return { kind: 'retry', afterMs: null, reason: code ?? error.message };
}

function readPem(name: string, file: string | null): Buffer | undefined {
  if (file === null) return undefined;
  const invalid = (problem: string, cause?: unknown) =>
    new HeadroomError('ENDPOINT_INVALID', `OTEL_EXPORTER_OTLP_${name}: ${file} ${problem}`, {
      cause,
    });
  try {
    // A pipe would be waited for without an end.
    if (!fs.statSync(file).isFile()) throw invalid('is no regular file');
    const pem = fs.readFileSync(file);
    if (!pem.includes('-----BEGIN ')) throw invalid('holds no PEM');
    return pem;
  } catch (error) {
    if (error instanceof HeadroomError) throw error;
    throw invalid(`cannot be read (${errnoOf(error) ?? 'unknown'})`, error);
  }
}
