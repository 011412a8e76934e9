import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type HttpAnswer,
  parseRetryAfter,
  readAnswer,
} from '../../../src/exporter/otlp/response.ts';

const url = 'http://collector:4318/v1/metrics';
const now = Date.parse('2026-11-29T12:00:00Z');

describe('taken', () => {
  test.each([
    ['nothing', 200, '', ''],
    ['nothing, with no content', 204, '', ''],
    ['an empty JSON object', 200, 'application/json', '{}'],
    ['an empty JSON object in a charset', 200, 'application/json; charset=utf-8', '{}'],
    ['JSON null', 200, 'application/json', '{"partialSuccess":null}'],
    ['a partial success that rejected nothing', 200, 'application/json', '{"partialSuccess":{}}'],
    ['no bytes of protobuf', 202, 'application/x-protobuf', ''],
  ])('%s is a delivery', (_, status, contentType, body) => {
    expect(read({ status, contentType, body: Buffer.from(body) })).toEqual({ kind: 'sent' });
  });

  test.each([
    ['a string, as the JSON mapping has it', '{"rejectedDataPoints":"3","errorMessage":"old"}'],
    ['a number', '{"rejectedDataPoints":3,"errorMessage":"old"}'],
  ])('a partial success with the count as %s', (_, partial) => {
    const body = Buffer.from(`{"partialSuccess":${partial}}`);
    expect(read({ status: 200, contentType: 'application/json', body })).toEqual({
      kind: 'partial',
      rejected: 3,
      message: 'old',
    });
  });

  test('a partial success in protobuf', () => {
    // ExportMetricsServiceResponse{partial_success(1): {rejected_data_points(1): 300, error_message(2): "old"}}
    const body = Buffer.from([0x0a, 0x08, 0x08, 0xac, 0x02, 0x12, 0x03, 0x6f, 0x6c, 0x64]);
    expect(read({ status: 200, contentType: 'application/x-protobuf', body })).toEqual({
      kind: 'partial',
      rejected: 300,
      message: 'old',
    });
  });

  test('a warning without a rejected point', () => {
    const body = Buffer.from('{"partialSuccess":{"errorMessage":"too many labels"}}');
    expect(read({ status: 200, contentType: 'application/json', body })).toEqual({
      kind: 'partial',
      rejected: 0,
      message: 'too many labels',
    });
  });
});

test.each([
  ['a login page', 'text/html', '<html><title>Sign in</title></html>'],
  ['plain text', 'text/plain', 'ok'],
  ['no type', '', 'hello'],
  ['broken JSON', 'application/json', '{"partialSuccess"'],
  ['JSON that is no object', 'application/json', '"ok"'],
  ['broken protobuf', 'application/x-protobuf', '\n\u007f\b'],
])('200 with %s is no delivery', (_, contentType, body) => {
  const result = read({ status: 200, contentType, body: Buffer.from(body) });
  expect(result).toMatchObject({ kind: 'misconfigured' });
  expect(JSON.stringify(result)).toContain(url);
});

test('the first 100 characters of a page are shown, on one line, without control characters', () => {
  const body = Buffer.from(`<html>\r\n\u001b[31m${'x'.repeat(200)}`);
  const result = read({ status: 200, contentType: 'text/html', body });
  expect(result).toMatchObject({
    message: `${url} answers 200, but not as an OTLP receiver: <html> [31m${'x'.repeat(89)}`,
  });
});

test.each([429, 502, 503, 504])('%i is to be sent again', (status) => {
  expect(read({ status })).toEqual({ kind: 'retry', afterMs: null, reason: `status ${status}` });
  expect(read({ status, retryAfter: '7' })).toMatchObject({ afterMs: 7000 });
});

test.each([400, 413, 422, 500, 501])('%i refuses what is in the request', (status) => {
  const result = read({ status, body: Buffer.from('{"message":"no"}') });
  expect(result).toEqual({ kind: 'rejected', status, message: '{"message":"no"}' });
});

test.each([401, 403, 404, 405, 415])('%i is for somebody to set right', (status) => {
  expect(read({ status, body: Buffer.from('no') })).toMatchObject({
    kind: 'misconfigured',
    message: `${url} answers ${status}: no`,
  });
});

test('a redirect says where to', () => {
  expect(read({ status: 302, location: 'https://login.example/' })).toMatchObject({
    kind: 'misconfigured',
    message: `${url} answers 302 and points to https://login.example/`,
  });
});

test.each([
  ['2', 2000],
  [' 120 ', 120_000],
  ['Sun, 29 Nov 2026 12:00:30 GMT', 30_000],
  ['Sun, 29 Nov 2026 11:00:00 GMT', 0],
  ['999999999', 86_400_000],
  ['Sunday, 29-Nov-26 12:00:30 GMT', 30_000],
  ['0', 0],
  ['-5', null],
  ['0.001', null],
  ['1e3', null],
  ['2026-11-29T12:00:30Z', null],
  ['soon', null],
  ['', null],
  [null, null],
])('Retry-After: %s is %s ms', (text, expected) => {
  expect(parseRetryAfter(text, now)).toBe(expected);
});

test('any answer at all is understood as something', () => {
  fc.assert(
    fc.property(
      fc.record({
        status: fc.integer({ min: 200, max: 599 }),
        contentType: fc.constantFrom('application/json', 'application/x-protobuf', 'text/html', ''),
        retryAfter: fc.option(fc.string()),
        location: fc.option(fc.string()),
        body: fc.uint8Array().map((bytes) => Buffer.from(bytes)),
        isCut: fc.boolean(),
      }),
      (answer) => {
        const result = readAnswer(answer, url, now);
        if (result.kind === 'retry') expect(result.afterMs ?? 0).toBeGreaterThanOrEqual(0);
        if (result.kind === 'partial') expect(result.rejected).toBeGreaterThanOrEqual(0);
      },
    ),
  );
});

function read(parts: Partial<HttpAnswer>) {
  const empty = { status: 200, contentType: '', retryAfter: null, location: null, isCut: false };
  return readAnswer({ ...empty, body: Buffer.alloc(0), ...parts }, url, now);
}
