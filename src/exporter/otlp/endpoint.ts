import crypto from 'node:crypto';
import { HeadroomError } from '../../model/errors.ts';
import {
  type Environment,
  prefix,
  resourceSettings,
  type SettingSource,
  type SignalName,
  type SignalSettings,
  signalSettings,
} from './signal-settings.ts';

/** Where and how to send one signal. */
export interface SignalTarget extends SignalSettings {
  url: URL;
  /** For people: the URL without user, password and query. */
  name: string;
  /** For the cursor in the file: the name, and a digest of the query if there is one. */
  key: string;
}

/** Made of the flags and the OTEL_* environment. */
export interface OtlpTarget {
  metrics: SignalTarget;
  /** Where events go as log records; null: nowhere. */
  logs: SignalTarget | null;
  /** Events are not sent because only the address of metrics is known. */
  lacksLogsEndpoint: boolean;
  /** Distributions are sent as exponential histograms, too. */
  exponentialHistograms: boolean;
  /** OTEL_RESOURCE_ATTRIBUTES and OTEL_SERVICE_NAME. */
  resource: Readonly<Record<string, string>>;
  /** What was ignored, and why. */
  warnings: readonly string[];
}

/** Of the command line; they win over the environment. */
export interface EndpointFlags {
  endpoint?: string | null;
  logsEndpoint?: string | null;
  protocol?: string | null;
  /** Whether events are sent as log records, where there is an endpoint for them. Default: true. */
  sendsLogs?: boolean;
  /** Whether distributions are sent as exponential histograms, too. Default: as the environment says. */
  exponentialHistograms?: boolean;
}

const paths = { METRICS: '/v1/metrics', LOGS: '/v1/logs' };
const defaultBase = 'http://localhost:4318';

/**
 * Resolves the configuration of an OTLP exporter
 * (opentelemetry.io/docs/specs/otel/protocol/exporter): the endpoint of a signal is used as it is, a
 * general endpoint is a base to which `/v1/metrics` and `/v1/logs` are added. The flag wins over both:
 * a bare `http://host:port` is a base, anything longer is for metrics as it is. Where there is only
 * an endpoint for metrics, events are not sent. ENDPOINT_INVALID for what cannot be used; a warning
 * for what can be ignored.
 */
export function resolveTarget(
  flags: EndpointFlags = {},
  env: Environment = process.env,
): OtlpTarget {
  const warnings = new Set<string>();
  const warn = (message: string) => void warnings.add(message);
  const at: SettingSource = { env, warn, protocol: flags.protocol ?? null };
  const metrics = targetOf('METRICS', metricsUrl(flags, at), at);
  const wantsLogs = sendsLogs(flags, env);
  const logsUrl = wantsLogs ? urlForLogs(flags, at) : null;
  return {
    metrics,
    logs: logsUrl === null ? null : apart(targetOf('LOGS', logsUrl, at), metrics),
    exponentialHistograms: flags.exponentialHistograms === true || prefersExponential(at),
    lacksLogsEndpoint: wantsLogs && logsUrl === null,
    resource: resourceSettings(at),
    warnings: [...warnings],
  };
}

// Of the specification's settings of a metrics exporter; delta sums would be wrong in most backends.
function prefersExponential({ env, warn }: SettingSource): boolean {
  const temporality = env[`${prefix}METRICS_TEMPORALITY_PREFERENCE`]?.trim().toLowerCase();
  if (temporality && temporality !== 'cumulative') {
    warn(`${prefix}METRICS_TEMPORALITY_PREFERENCE is "${temporality}"; sums are sent cumulative`);
  }
  const aggregation = env[`${prefix}METRICS_DEFAULT_HISTOGRAM_AGGREGATION`]?.trim().toLowerCase();
  return aggregation === 'base2_exponential_bucket_histogram';
}

function sendsLogs(flags: EndpointFlags, env: Environment): boolean {
  const exporter = env['OTEL_LOGS_EXPORTER']?.trim().toLowerCase();
  return (flags.sendsLogs ?? true) && (exporter !== 'none' || Boolean(flags.logsEndpoint));
}

function targetOf(signal: SignalName, url: URL, at: SettingSource): SignalTarget {
  const name = `${url.origin}${url.pathname}`;
  const key = url.search === '' ? name : `${name}?${digest(url.search)}`;
  return { url, name, key, ...signalSettings(signal, at) };
}

// Each has its own cursor, also where both are told the same address.
function apart(logs: SignalTarget, metrics: SignalTarget): SignalTarget {
  return logs.key === metrics.key ? { ...logs, key: `${logs.key} (logs)` } : logs;
}

function metricsUrl({ endpoint }: EndpointFlags, at: SettingSource): URL {
  if (endpoint) {
    const url = parseUrl('--endpoint', endpoint);
    return isBase(url) ? withPath(url, paths.METRICS) : url;
  }
  const { env } = at;
  const own = env[`${prefix}METRICS_ENDPOINT`]?.trim();
  if (own) return parseUrl(`${prefix}METRICS_ENDPOINT`, own);
  const url = parseUrl(`${prefix}ENDPOINT`, env[`${prefix}ENDPOINT`]?.trim() || defaultBase);
  const whole = withPath(url, paths.METRICS);
  if (url.pathname.replace(/\/+$/, '').endsWith(paths.METRICS)) {
    at.warn(
      `${prefix}ENDPOINT is a base and ends in ${paths.METRICS} already: requests go to ${whole.pathname}; use ${prefix}METRICS_ENDPOINT for a whole URL`,
    );
  }
  return whole;
}

function urlForLogs({ endpoint, logsEndpoint }: EndpointFlags, { env }: SettingSource): URL | null {
  if (logsEndpoint) return parseUrl('--logs-endpoint', logsEndpoint);
  const flag = endpoint ? parseUrl('--endpoint', endpoint) : null;
  if (flag !== null && isBase(flag)) return withPath(flag, paths.LOGS);
  const own = env[`${prefix}LOGS_ENDPOINT`]?.trim();
  if (own) return parseUrl(`${prefix}LOGS_ENDPOINT`, own);
  if (flag !== null) return null;
  const base = env[`${prefix}ENDPOINT`]?.trim();
  if (base) return withPath(parseUrl(`${prefix}ENDPOINT`, base), paths.LOGS);
  const isForMetricsOnly = Boolean(env[`${prefix}METRICS_ENDPOINT`]?.trim());
  return isForMetricsOnly ? null : withPath(new URL(defaultBase), paths.LOGS);
}

function isBase(url: URL): boolean {
  return url.pathname === '/' && url.search === '';
}

function withPath(base: URL, path: string): URL {
  const url = new URL(base);
  url.pathname = base.pathname.replace(/\/+$/, '') + path;
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

function digest(text: string): string {
  return crypto.createHash('sha256').update(text).digest('hex').slice(0, 8);
}
