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
    const resolve = () => resolveTarget({ endpoint: option?.url ?? null }, env);
    if (error !== undefined) {
      expect(resolve).toThrow(error);
      return;
    }
    const target = resolve();
    if (url?.startsWith('default '))
      expect(target.metrics.url.href).toBe(url.slice('default '.length));
    else expect(target.metrics.url.pathname + target.metrics.url.search).toBe(url);
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
  expect(resolveTarget({ endpoint: flag }, env).metrics.url.href).toBe(url);
});

test('a base keeps its query, and a metrics endpoint wins over it', () => {
  const base = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://h:1/base/?a=b' };
  expect(resolveTarget({}, base).metrics.url.href).toBe('http://h:1/base/v1/metrics?a=b');
  const both = { ...base, OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://h:2/m' };
  expect(resolveTarget({}, both).metrics.url.href).toBe('http://h:2/m');
});

test('neither name nor key of a target has a secret in it', () => {
  const target = resolveTarget(
    { endpoint: 'https://user:secret@h.example/v1/metrics?token=secret' },
    {},
  );
  expect(target.metrics.name).toBe('https://h.example/v1/metrics');
  expect(target.metrics.key).toMatch(/^https:\/\/h\.example\/v1\/metrics\?[0-9a-f]{8}$/);
  expect(
    resolveTarget({ endpoint: 'https://h.example/v1/metrics?token=other' }, {}).metrics.key,
  ).not.toBe(target.metrics.key);
  expect(target.metrics.url.username).toBe('user');
});

test.each([
  ['user:secret@collector:4318', '--endpoint is missing scheme http://: "collector:4318"'],
  ['localhost', '--endpoint is missing scheme http://: "localhost"'],
  ['grpc://u:secret@h:4317', '--endpoint is not an http or https URL: "grpc://h:4317"'],
  ['http://', '--endpoint is not an http or https URL: "http://"'],
])('the flag %s is refused, its credentials not repeated', (flag, message) => {
  const error = errorOf(() => resolveTarget({ endpoint: flag }, {}));
  expect(error.code).toBe('ENDPOINT_INVALID');
  expect(error.message).toBe(message);
  expect(error.hint).not.toContain('secret');
});

describe('protocol', () => {
  test.each([
    [{}, 'protobuf'],
    [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }, 'json'],
    [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf' }, 'protobuf'],
    [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'HTTP/JSON' }, 'json'],
    [
      { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: 'http/json' },
      'json',
    ],
  ])('%o is %s', (env, encoding) => {
    expect(resolveTarget({ sendsLogs: false }, env).metrics.encoding).toBe(encoding);
  });

  test('grpc is refused with the way out', () => {
    const error = errorOf(() => resolveTarget({}, { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }));
    expect(error.code).toBe('ENDPOINT_INVALID');
    expect(error.message).toContain('"grpc"');
    expect(error.hint).toContain('http/protobuf on port 4318');
  });
});

describe('where events go', () => {
  const metricsOnly = { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://m:1/m' };
  const logsToo = { ...metricsOnly, OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: 'http://l:1/l' };
  const base = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://h:1/base/' };

  test.each([
    [{}, {}, 'http://localhost:4318/v1/logs'],
    [{}, base, 'http://h:1/base/v1/logs'],
    [{}, { ...base, ...logsToo }, 'http://l:1/l'],
    [{}, metricsOnly, null],
    [{}, logsToo, 'http://l:1/l'],
    [{ endpoint: 'http://c:4318' }, logsToo, 'http://c:4318/v1/logs'],
    [{ endpoint: 'http://vm:8428/opentelemetry/v1/metrics' }, base, null],
    [{ endpoint: 'http://vm:8428/opentelemetry/v1/metrics' }, logsToo, 'http://l:1/l'],
    [
      { endpoint: 'http://vm:8428/m', logsEndpoint: 'http://loki:3100/otlp/v1/logs' },
      logsToo,
      'http://loki:3100/otlp/v1/logs',
    ],
  ])('%o %o: %s', (flags, env, url) => {
    const target = resolveTarget(flags, env);
    expect(target.logs?.url.href ?? null).toBe(url);
    expect(target.lacksLogsEndpoint).toBe(url === null);
  });

  test.each([
    [{ sendsLogs: false }, {}],
    [{}, { OTEL_LOGS_EXPORTER: 'none' }],
  ])('nowhere, when that is asked for: %o %o', (flags, env) => {
    expect(resolveTarget(flags, env)).toMatchObject({ logs: null, lacksLogsEndpoint: false });
  });

  test('with settings of their own, and a warning about the general ones once', () => {
    const target = resolveTarget(
      {},
      {
        OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
        OTEL_EXPORTER_OTLP_LOGS_PROTOCOL: 'http/protobuf',
        OTEL_EXPORTER_OTLP_HEADERS: 'a=1,b=2',
        OTEL_EXPORTER_OTLP_LOGS_HEADERS: 'b=3',
        OTEL_EXPORTER_OTLP_LOGS_TIMEOUT: '500',
        OTEL_EXPORTER_OTLP_COMPRESSION: 'zstd',
      },
    );
    expect(target.logs).toMatchObject({
      encoding: 'protobuf',
      headers: { a: '1', b: '3' },
      timeoutMs: 500,
    });
    expect(target.metrics).toMatchObject({ encoding: 'json', headers: { a: '1', b: '2' } });
    expect(target.warnings).toHaveLength(1);
  });

  test('with a cursor of their own, also at the address of the metrics', () => {
    const address = 'http://proxy:1/in';
    const { metrics, logs } = resolveTarget({ endpoint: address, logsEndpoint: address }, {});
    expect(metrics.key).toBe(address);
    expect(logs?.key).toBe(`${address} (logs)`);
  });
});

test('exponential histograms, by the flag or as the environment says; sums are never delta', () => {
  const env = {
    OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION: 'BASE2_EXPONENTIAL_BUCKET_HISTOGRAM',
    OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: 'delta',
  };
  expect(resolveTarget({}, {}).exponentialHistograms).toBe(false);
  expect(resolveTarget({ exponentialHistograms: true }, {}).exponentialHistograms).toBe(true);
  const target = resolveTarget({}, env);
  expect(target.exponentialHistograms).toBe(true);
  expect(target.warnings).toEqual([
    'OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE is "delta"; sums are sent cumulative',
  ]);
});

test('headers are merged, the signal wins, values are percent-decoded', () => {
  const target = resolveTarget(
    {},
    {
      OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Bearer%20general,X-Scope-OrgID=t1',
      OTEL_EXPORTER_OTLP_METRICS_HEADERS: 'authorization=Bearer%20metrics',
    },
  );
  expect(target.metrics.headers).toEqual({
    authorization: 'Bearer metrics',
    'x-scope-orgid': 't1',
  });
});

test('a header that HTTP cannot carry is told about and left out', () => {
  const target = resolveTarget(
    {},
    { OTEL_EXPORTER_OTLP_HEADERS: 'a b=1,ok=2,evil=x%0d%0ay,Host=elsewhere' },
  );
  expect(target.metrics.headers).toEqual({ ok: '2' });
  expect(target.warnings).toEqual([
    'OTEL_EXPORTER_OTLP_HEADERS: a b is not a valid HTTP header',
    'OTEL_EXPORTER_OTLP_HEADERS: evil is not a valid HTTP header',
    'OTEL_EXPORTER_OTLP_HEADERS: Host is set with each request, and left out',
  ]);
});

test.each([
  [{}, 10_000, 0],
  [{ OTEL_EXPORTER_OTLP_TIMEOUT: '2500' }, 2500, 0],
  [{ OTEL_EXPORTER_OTLP_TIMEOUT: '1', OTEL_EXPORTER_OTLP_METRICS_TIMEOUT: '3000' }, 3000, 0],
  [{ OTEL_EXPORTER_OTLP_TIMEOUT: '10s' }, 10_000, 1],
  [{ OTEL_EXPORTER_OTLP_TIMEOUT: '-1' }, 10_000, 1],
  [{ OTEL_EXPORTER_OTLP_TIMEOUT: '3000000000' }, 2_147_483_647, 1],
  // The specification: zero is no limit.
  [{ OTEL_EXPORTER_OTLP_TIMEOUT: '0' }, null, 0],
])('timeout of %o is %s ms', (env, timeoutMs, warnings) => {
  const target = resolveTarget({}, env);
  expect(target.metrics.timeoutMs).toBe(timeoutMs);
  expect(target.warnings).toHaveLength(warnings);
});

test.each([
  ['gzip', 'gzip', 0],
  ['GZIP', 'gzip', 0],
  ['none', 'none', 0],
  ['zstd', 'none', 1],
])('compression %s is %s', (text, compression, warnings) => {
  const target = resolveTarget({}, { OTEL_EXPORTER_OTLP_COMPRESSION: text });
  expect(target.metrics.compression).toBe(compression);
  expect(target.warnings).toHaveLength(warnings);
});

test('the resource is that of OTEL_RESOURCE_ATTRIBUTES, with OTEL_SERVICE_NAME over it', () => {
  const target = resolveTarget(
    {},
    {
      OTEL_RESOURCE_ATTRIBUTES: 'service.name=a,service.namespace=fleet%201',
      OTEL_SERVICE_NAME: 'browsers',
    },
  );
  expect(target.resource).toEqual({ 'service.name': 'browsers', 'service.namespace': 'fleet 1' });
});

test('certificates are named by the signal or in general', () => {
  const target = resolveTarget(
    { endpoint: 'https://h' },
    {
      OTEL_EXPORTER_OTLP_CERTIFICATE: '/ca.pem',
      OTEL_EXPORTER_OTLP_METRICS_CLIENT_CERTIFICATE: '/client.pem',
      OTEL_EXPORTER_OTLP_CLIENT_KEY: '/client.key',
    },
  );
  expect(target.metrics.certificateFile).toBe('/ca.pem');
  expect(target.metrics.clientCertificateFile).toBe('/client.pem');
  expect(target.metrics.clientKeyFile).toBe('/client.key');
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
