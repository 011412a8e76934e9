import crypto from 'node:crypto';
import { HeadroomError } from '../../model/errors.ts';
import { parseKeyValueList } from './key-value-list.ts';
import type { OtlpEncoding } from './serialize.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Where and how to send; made of the flag and the OTEL_* environment. */
export interface OtlpTarget {
  url: URL;
  /** For people: the URL without user, password and query. */
  name: string;
  /** For the cursor in the file: the name, and a digest of the query if there is one. */
  key: string;
  headers: Readonly<Record<string, string>>;
  encoding: OtlpEncoding;
  compression: 'gzip' | 'none';
  /** For one request, the answer included. */
  timeoutMs: number;
  /** PEM files for https; null: the system's authorities, no client certificate. */
  certificateFile: string | null;
  clientCertificateFile: string | null;
  clientKeyFile: string | null;
  /** OTEL_RESOURCE_ATTRIBUTES and OTEL_SERVICE_NAME. */
  resource: Readonly<Record<string, string>>;
  /** What was ignored, and why. */
  warnings: readonly string[];
}

interface Resolution {
  env: Environment;
  warnings: string[];
}

const prefix = 'OTEL_EXPORTER_OTLP_';
const metricsPath = '/v1/metrics';
const defaultUrl = `http://localhost:4318${metricsPath}`;
const defaultTimeoutMs = 10_000;
// RFC 9110, "Tokens" and "Field Values".
const headerName = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * Resolves the configuration of an OTLP exporter
 * (opentelemetry.io/docs/specs/otel/protocol/exporter): a metrics endpoint is used as it is, a
 * general endpoint is a base to which `/v1/metrics` is added, the signal's setting wins over the
 * general one, an empty variable is an unset one. The flag wins over both and is used as it is, but
 * a bare `http://host:port` gets the path. ENDPOINT_INVALID for what cannot be used; a warning for
 * what can be ignored.
 */
export function resolveTarget(flag: string | null, env: Environment = process.env): OtlpTarget {
  const at: Resolution = { env, warnings: [] };
  const url = endpointUrl(flag, at);
  const name = `${url.origin}${url.pathname}`;
  const serviceName = env['OTEL_SERVICE_NAME']?.trim();
  return {
    url,
    name,
    key: url.search === '' ? name : `${name}?${digest(url.search)}`,
    headers: { ...headers('HEADERS', at), ...headers('METRICS_HEADERS', at) },
    encoding: encodingOf(setting('PROTOCOL', at)),
    compression: compressionOf(setting('COMPRESSION', at), at),
    timeoutMs: timeoutOf(setting('TIMEOUT', at), at),
    certificateFile: setting('CERTIFICATE', at),
    clientCertificateFile: setting('CLIENT_CERTIFICATE', at),
    clientKeyFile: setting('CLIENT_KEY', at),
    resource: {
      ...keyValues('OTEL_RESOURCE_ATTRIBUTES', at),
      ...(serviceName ? { 'service.name': serviceName } : {}),
    },
    warnings: at.warnings,
  };
}

function endpointUrl(flag: string | null, { env, warnings }: Resolution): URL {
  if (flag !== null) {
    const url = parseUrl('--endpoint', flag);
    if (url.pathname === '/' && url.search === '') url.pathname = metricsPath;
    return url;
  }
  const own = env[`${prefix}METRICS_ENDPOINT`]?.trim();
  if (own) return parseUrl(`${prefix}METRICS_ENDPOINT`, own);
  const base = env[`${prefix}ENDPOINT`]?.trim();
  if (!base) return new URL(defaultUrl);
  const url = parseUrl(`${prefix}ENDPOINT`, base);
  const basePath = url.pathname.replace(/\/+$/, '');
  if (basePath.endsWith(metricsPath)) {
    warnings.push(
      `${prefix}ENDPOINT is a base and ends in ${metricsPath} already: requests go to ${basePath}${metricsPath}; use ${prefix}METRICS_ENDPOINT for a whole URL`,
    );
  }
  url.pathname = basePath + metricsPath;
  return url;
}

function parseUrl(source: string, text: string): URL {
  const shown = text.replace(/[^/@\s]*@/, '');
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') {
    url.hash = '';
    return url;
  }
  const problem = text.includes('://')
    ? 'is not an http or https URL'
    : 'is missing scheme http://';
  throw new HeadroomError('ENDPOINT_INVALID', `${source} ${problem}: "${shown}"`, {
    hint: text.includes('://')
      ? 'OTLP is sent over HTTP, usually on port 4318.'
      : `Write http://${shown} or https://${shown}.`,
  });
}

function setting(name: string, { env }: Resolution): string | null {
  return env[`${prefix}METRICS_${name}`]?.trim() || env[`${prefix}${name}`]?.trim() || null;
}

function encodingOf(protocol: string | null): OtlpEncoding {
  if (protocol === null || protocol === 'http/protobuf') return 'protobuf';
  if (protocol === 'http/json') return 'json';
  throw new HeadroomError(
    'ENDPOINT_INVALID',
    `${prefix}PROTOCOL is "${protocol}"; http/protobuf and http/json can be sent`,
    { hint: 'Receivers that speak grpc on port 4317 take http/protobuf on port 4318.' },
  );
}

function compressionOf(text: string | null, { warnings }: Resolution): 'gzip' | 'none' {
  if (text === 'gzip') return 'gzip';
  if (text !== null && text !== 'none') {
    warnings.push(`${prefix}COMPRESSION is "${text}"; only gzip is known, nothing is compressed`);
  }
  return 'none';
}

function timeoutOf(text: string | null, { warnings }: Resolution): number {
  if (text === null) return defaultTimeoutMs;
  const ms = Number(text);
  if (Number.isFinite(ms) && ms > 0) return Math.ceil(ms);
  warnings.push(`${prefix}TIMEOUT is "${text}", not a number of ms: ${defaultTimeoutMs} is used`);
  return defaultTimeoutMs;
}

function headers(name: string, at: Resolution): Record<string, string> {
  const usable = Object.entries(keyValues(`${prefix}${name}`, at)).filter(([key, value]) => {
    const valid = headerName.test(key) && headerValue.test(value);
    if (!valid) at.warnings.push(`${prefix}${name}: ${key} is not a valid HTTP header`);
    return valid;
  });
  return Object.fromEntries(usable.map(([key, value]) => [key.toLowerCase(), value]));
}

function keyValues(variable: string, { env, warnings }: Resolution): Record<string, string> {
  const { pairs, problems } = parseKeyValueList(env[variable] ?? '');
  warnings.push(...problems.map((problem) => `${variable}: ${problem}`));
  return pairs;
}

function digest(text: string): string {
  return crypto.createHash('sha256').update(text).digest('hex').slice(0, 8);
}
