import { describe, expect, test } from 'vitest';
import { resolveTarget } from '../../../src/exporter/otlp/endpoint.ts';
import { HeadroomError } from '../../../src/model/errors.ts';
import { caseJson } from '../../support/cases.ts';

interface MatrixRow {
  env: Record<string, string>;
  option?: { url: string };
  url?: string;
  warning?: boolean;
  error?: string;
}

describe('case 078: the request URL of each setting', () => {
  const rows = caseJson<MatrixRow[]>('078-otlp-endpoint-matrix/matrix.json');

  test.each(rows)('$option $env', ({ env, option, url, warning, error }) => {
    const resolve = () => resolveTarget(option?.url ?? null, env);
    if (error !== undefined) {
      expect(resolve).toThrow(error);
      return;
    }
    const target = resolve();
    if (url?.startsWith('default ')) expect(target.url.href).toBe(url.slice('default '.length));
    else expect(target.url.pathname + target.url.search).toBe(url);
    expect(target.warnings).toHaveLength(warning === true ? 1 : 0);
  });
});

test.each([
  ['http://localhost:4318', 'http://localhost:4318/v1/metrics'],
  ['http://localhost:4318/', 'http://localhost:4318/v1/metrics'],
  ['https://otlp.example/v1/metrics', 'https://otlp.example/v1/metrics'],
  ['http://vm:8428/opentelemetry/v1/metrics', 'http://vm:8428/opentelemetry/v1/metrics'],
  ['http://localhost:4318?tenant=1', 'http://localhost:4318/?tenant=1'],
])('the flag %s wins over the environment and goes to %s', (flag, url) => {
  const env = { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://other:1/x' };
  expect(resolveTarget(flag, env).url.href).toBe(url);
});

test('a base keeps its query, and a metrics endpoint wins over it', () => {
  const base = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://h:1/base/?a=b' };
  expect(resolveTarget(null, base).url.href).toBe('http://h:1/base/v1/metrics?a=b');
  const both = { ...base, OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://h:2/m' };
  expect(resolveTarget(null, both).url.href).toBe('http://h:2/m');
});

test('neither name nor key of a target has a secret in it', () => {
  const target = resolveTarget('https://user:secret@h.example/v1/metrics?token=secret', {});
  expect(target.name).toBe('https://h.example/v1/metrics');
  expect(target.key).toMatch(/^https:\/\/h\.example\/v1\/metrics\?[0-9a-f]{8}$/);
  expect(resolveTarget('https://h.example/v1/metrics?token=other', {}).key).not.toBe(target.key);
  expect(target.url.username).toBe('user');
});

test.each([
  ['user:secret@collector:4318', '--endpoint is missing scheme http://: "collector:4318"'],
  ['localhost', '--endpoint is missing scheme http://: "localhost"'],
  ['grpc://u:secret@h:4317', '--endpoint is not an http or https URL: "grpc://h:4317"'],
  ['http://', '--endpoint is not an http or https URL: "http://"'],
])('the flag %s is refused, its credentials not repeated', (flag, message) => {
  const error = errorOf(() => resolveTarget(flag, {}));
  expect(error.code).toBe('ENDPOINT_INVALID');
  expect(error.message).toBe(message);
  expect(error.hint).not.toContain('secret');
});

describe('protocol', () => {
  test.each([
    [{}, 'protobuf'],
    [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }, 'json'],
    [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf' }, 'protobuf'],
    [
      { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: 'http/json' },
      'json',
    ],
  ])('%o is %s', (env, encoding) => {
    expect(resolveTarget(null, env).encoding).toBe(encoding);
  });

  test('grpc is refused with the way out', () => {
    const error = errorOf(() => resolveTarget(null, { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }));
    expect(error.code).toBe('ENDPOINT_INVALID');
    expect(error.message).toContain('"grpc"');
    expect(error.hint).toContain('http/protobuf on port 4318');
  });
});

test('headers are merged, the signal wins, values are percent-decoded', () => {
  const target = resolveTarget(null, {
    OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Bearer%20general,X-Scope-OrgID=t1',
    OTEL_EXPORTER_OTLP_METRICS_HEADERS: 'authorization=Bearer%20metrics',
  });
  expect(target.headers).toEqual({ authorization: 'Bearer metrics', 'x-scope-orgid': 't1' });
});

test('a header that HTTP cannot carry is told about and left out', () => {
  const target = resolveTarget(null, { OTEL_EXPORTER_OTLP_HEADERS: 'a b=1,ok=2,evil=x%0d%0ay' });
  expect(target.headers).toEqual({ ok: '2' });
  expect(target.warnings).toEqual([
    'OTEL_EXPORTER_OTLP_HEADERS: a b is not a valid HTTP header',
    'OTEL_EXPORTER_OTLP_HEADERS: evil is not a valid HTTP header',
  ]);
});

test.each([
  [{}, 10_000, 0],
  [{ OTEL_EXPORTER_OTLP_TIMEOUT: '2500' }, 2500, 0],
  [{ OTEL_EXPORTER_OTLP_TIMEOUT: '1', OTEL_EXPORTER_OTLP_METRICS_TIMEOUT: '3000' }, 3000, 0],
  [{ OTEL_EXPORTER_OTLP_TIMEOUT: '10s' }, 10_000, 1],
  [{ OTEL_EXPORTER_OTLP_TIMEOUT: '0' }, 10_000, 1],
])('timeout of %o is %i ms', (env, timeoutMs, warnings) => {
  const target = resolveTarget(null, env);
  expect(target.timeoutMs).toBe(timeoutMs);
  expect(target.warnings).toHaveLength(warnings);
});

test.each([
  ['gzip', 'gzip', 0],
  ['none', 'none', 0],
  ['zstd', 'none', 1],
])('compression %s is %s', (text, compression, warnings) => {
  const target = resolveTarget(null, { OTEL_EXPORTER_OTLP_COMPRESSION: text });
  expect(target.compression).toBe(compression);
  expect(target.warnings).toHaveLength(warnings);
});

test('the resource is that of OTEL_RESOURCE_ATTRIBUTES, with OTEL_SERVICE_NAME over it', () => {
  const target = resolveTarget(null, {
    OTEL_RESOURCE_ATTRIBUTES: 'service.name=a,service.namespace=fleet%201',
    OTEL_SERVICE_NAME: 'browsers',
  });
  expect(target.resource).toEqual({ 'service.name': 'browsers', 'service.namespace': 'fleet 1' });
});

test('certificates are named by the signal or in general', () => {
  const target = resolveTarget('https://h', {
    OTEL_EXPORTER_OTLP_CERTIFICATE: '/ca.pem',
    OTEL_EXPORTER_OTLP_METRICS_CLIENT_CERTIFICATE: '/client.pem',
    OTEL_EXPORTER_OTLP_CLIENT_KEY: '/client.key',
  });
  expect(target.certificateFile).toBe('/ca.pem');
  expect(target.clientCertificateFile).toBe('/client.pem');
  expect(target.clientKeyFile).toBe('/client.key');
});

function errorOf(run: () => unknown): HeadroomError {
  try {
    run();
  } catch (error) {
    if (error instanceof HeadroomError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}
