import { HeadroomError } from '../../model/errors.ts';
import { longestTimerMs } from '../../model/longest-timer.ts';
import { parseKeyValueList } from './key-value-list.ts';
import type { OtlpEncoding } from './serialize.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export type SignalName = 'METRICS' | 'LOGS';

/** How to send; for one signal. */
export interface SignalSettings {
  headers: Readonly<Record<string, string>>;
  encoding: OtlpEncoding;
  compression: 'gzip' | 'none';
  /** For one request, the answer included; null: no limit. */
  timeoutMs: number | null;
  /** PEM files for https; null: the system's authorities, no client certificate. */
  certificateFile: string | null;
  clientCertificateFile: string | null;
  clientKeyFile: string | null;
}

/** What the settings are read from, and what is said about those that cannot be used. */
export interface SettingSource {
  env: Environment;
  /** The flag; it wins over the environment. */
  protocol: string | null;
  warn(message: string): void;
}

export const prefix = 'OTEL_EXPORTER_OTLP_';
const defaultTimeoutMs = 10_000;
// Of the message itself, and made with it: another one breaks it (RFC 9110, RFC 9112).
const ownHeaders = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
// RFC 9110, "Tokens" and "Field Values".
const headerName = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * The settings of a signal (opentelemetry.io/docs/specs/otel/protocol/exporter): that of the signal
 * wins over the general one, headers are merged, an empty variable is an unset one, the value of an
 * enumeration may be in any case. ENDPOINT_INVALID for a protocol that is not spoken; a warning for
 * what can be ignored.
 */
export function signalSettings(signal: SignalName, at: SettingSource): SignalSettings {
  const setting = (name: string) =>
    at.env[`${prefix}${signal}_${name}`]?.trim() || at.env[`${prefix}${name}`]?.trim() || null;
  return {
    headers: { ...headers('HEADERS', at), ...headers(`${signal}_HEADERS`, at) },
    encoding: encodingOf(at.protocol ?? setting('PROTOCOL')),
    compression: compressionOf(setting('COMPRESSION'), at),
    timeoutMs: timeoutOf(setting('TIMEOUT'), at),
    certificateFile: setting('CERTIFICATE'),
    clientCertificateFile: setting('CLIENT_CERTIFICATE'),
    clientKeyFile: setting('CLIENT_KEY'),
  };
}

/** What OTEL_RESOURCE_ATTRIBUTES and OTEL_SERVICE_NAME say of the resource; the name wins. */
export function resourceSettings(at: Pick<SettingSource, 'env' | 'warn'>): Record<string, string> {
  const serviceName = at.env['OTEL_SERVICE_NAME']?.trim();
  return {
    ...keyValues('OTEL_RESOURCE_ATTRIBUTES', at),
    ...(serviceName ? { 'service.name': serviceName } : {}),
  };
}

// A warning for what is no pair.
function keyValues(
  variable: string,
  { env, warn }: Pick<SettingSource, 'env' | 'warn'>,
): Record<string, string> {
  const { pairs, problems } = parseKeyValueList(env[variable] ?? '');
  for (const problem of problems) warn(`${variable}: ${problem}`);
  return pairs;
}

function encodingOf(protocol: string | null): OtlpEncoding {
  const name = protocol?.toLowerCase() ?? 'http/protobuf';
  if (name === 'http/protobuf') return 'protobuf';
  if (name === 'http/json') return 'json';
  throw new HeadroomError(
    'ENDPOINT_INVALID',
    `${prefix}PROTOCOL is "${protocol}"; http/protobuf and http/json can be sent`,
    { hint: 'Receivers that speak grpc on port 4317 take http/protobuf on port 4318.' },
  );
}

function compressionOf(text: string | null, { warn }: SettingSource): 'gzip' | 'none' {
  const name = text?.toLowerCase() ?? 'none';
  if (name === 'gzip' || name === 'none') return name;
  warn(`${prefix}COMPRESSION is "${text}"; only gzip is known, nothing is compressed`);
  return 'none';
}

// "Implementations MUST interpret the zero value as no limit" (SDK environment variables, Timeout).
function timeoutOf(text: string | null, { warn }: SettingSource): number | null {
  if (text === null) return defaultTimeoutMs;
  const ms = Number(text);
  if (ms === 0) return null;
  if (ms > longestTimerMs) {
    warn(`${prefix}TIMEOUT is "${text}": ${longestTimerMs} ms is the longest, and used`);
    return longestTimerMs;
  }
  if (ms > 0) return Math.ceil(ms);
  warn(`${prefix}TIMEOUT is "${text}", not a number of ms: ${defaultTimeoutMs} is used`);
  return defaultTimeoutMs;
}

function headers(name: string, at: SettingSource): Record<string, string> {
  const usable = Object.entries(keyValues(`${prefix}${name}`, at)).filter(([key, value]) => {
    const valid = headerName.test(key) && headerValue.test(value);
    if (!valid) at.warn(`${prefix}${name}: ${key} is not a valid HTTP header`);
    const isOwn = ownHeaders.has(key.toLowerCase());
    if (isOwn) at.warn(`${prefix}${name}: ${key} is set with each request, and left out`);
    return valid && !isOwn;
  });
  return Object.fromEntries(usable.map(([key, value]) => [key.toLowerCase(), value]));
}
