import { ProtobufMetricsSerializer } from '@opentelemetry/otlp-transformer';

/** What became of one request. */
export type SendResult =
  | { kind: 'sent' }
  /** Taken, but for so many points; sending them again would double the others. */
  | { kind: 'partial'; rejected: number; message: string }
  /** Not taken for now. `afterMs`: the receiver's own wish (Retry-After). */
  | { kind: 'retry'; afterMs: number | null; reason: string }
  /** Not taken because of what is in it (400, 413), or because the receiver failed (500). */
  | { kind: 'rejected'; status: number; message: string }
  /** Nobody there speaks OTLP to us: somebody has to change the settings. */
  | { kind: 'misconfigured'; message: string; hint: string };

export interface HttpAnswer {
  status: number;
  contentType: string;
  retryAfter: string | null;
  location: string | null;
  body: Buffer;
  /** There was more than anybody reads. */
  isCut: boolean;
}

/** Of either signal; in protobuf the two are the same bytes. */
interface ServiceResponse {
  partialSuccess?: {
    rejectedDataPoints?: number;
    rejectedLogRecords?: number;
    errorMessage?: string;
  };
}

const longestRetryMs = 86_400_000;
const excerptLength = 100;
const messageLength = 500;
const retryable = new Set([408, 429, 502, 503, 504]);

/**
 * Reads an answer as the OTLP specification has it (OTLP/HTTP Response): 2xx with an
 * ExportMetricsServiceResponse or nothing at all, 429/502/503/504 (and 408) to be sent again, the
 * rest not.
 * A 200 that is anything else (a login page, a proxy's hello) is not a delivery.
 */
export function readAnswer(answer: HttpAnswer, url: string, nowUnixMs: number): SendResult {
  const { status } = answer;
  if (status >= 200 && status < 300) return readSuccess(answer, url);
  if (status >= 300 && status < 400) {
    return {
      kind: 'misconfigured',
      message: `${url} answers ${status} and points to ${answer.location ?? 'nowhere'}`,
      hint: 'Use the address that it points to, if it is the receiver.',
    };
  }
  if (retryable.has(status)) {
    const afterMs = parseRetryAfter(answer.retryAfter, nowUnixMs);
    return { kind: 'retry', afterMs, reason: `status ${status}` };
  }
  if (status === 400 || status === 413 || status === 422 || status >= 500) {
    return { kind: 'rejected', status, message: printable(answer.body.toString()) };
  }
  return {
    kind: 'misconfigured',
    message: `${url} answers ${status}${withColon(excerpt(answer.body))}`,
    hint: hintOf(status),
  };
}

/**
 * Retry-After as whole seconds or as an HTTP date (RFC 9110, 10.2.3), in ms from now, at most a day.
 * Null when it is neither.
 */
export function parseRetryAfter(text: string | null, nowUnixMs: number): number | null {
  const value = text?.trim() ?? '';
  if (/^\d+$/.test(value)) return Math.min(longestRetryMs, Number(value) * 1000);
  // Date.parse takes "-5" and "0.001" for dates; those of HTTP begin with the day of the week.
  if (!/^[A-Z][a-z]{2,8},? /.test(value)) return null;
  const ms = Date.parse(value) - nowUnixMs;
  return Number.isNaN(ms) ? null : Math.min(longestRetryMs, Math.max(0, ms));
}

function readSuccess(answer: HttpAnswer, url: string): SendResult {
  if (answer.body.length === 0 && !answer.isCut) return { kind: 'sent' };
  // An OTLP receiver answers in a few bytes.
  const response = answer.isCut ? null : parseResponse(answer);
  if (response === null) {
    return {
      kind: 'misconfigured',
      message: `${url} answers ${answer.status}, but not as an OTLP receiver${withColon(excerpt(answer.body))}`,
      hint: 'Something in between (a login page, a proxy) answers; check the address.',
    };
  }
  const { rejectedDataPoints, rejectedLogRecords, errorMessage } = response.partialSuccess ?? {};
  // In JSON a 64-bit integer is a string.
  const rejected = Number(rejectedDataPoints ?? rejectedLogRecords ?? 0);
  if (!(rejected > 0) && !errorMessage) return { kind: 'sent' };
  return {
    kind: 'partial',
    rejected: Number.isFinite(rejected) ? rejected : 0,
    message: printable(errorMessage ?? ''),
  };
}

function parseResponse(answer: HttpAnswer): ServiceResponse | null {
  if (answer.contentType.startsWith('application/json')) return parseJson(answer.body);
  if (!answer.contentType.startsWith('application/x-protobuf')) return null;
  try {
    return ProtobufMetricsSerializer.deserializeResponse(answer.body);
  } catch (error) {
    // The reader throws a plain Error for bytes that are not a message.
    if (error instanceof Error) return null;
    throw error;
  }
}

function parseJson(body: Buffer): ServiceResponse | null {
  try {
    const response: unknown = JSON.parse(body.toString());
    return typeof response === 'object' ? response : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function hintOf(status: number): string {
  if (status === 401 || status === 403) {
    return 'Check the credentials in OTEL_EXPORTER_OTLP_HEADERS.';
  }
  if (status === 404 || status === 405) {
    return 'Check the path: most receivers take /v1/metrics and /v1/logs, Prometheus /api/v1/otlp/v1/metrics, VictoriaMetrics /opentelemetry/v1/metrics, and those two no logs (--no-logs).';
  }
  if (status === 415)
    return 'Try the other OTEL_EXPORTER_OTLP_PROTOCOL (http/protobuf, http/json).';
  return 'Check the address and the settings of the receiver.';
}

function excerpt(body: Buffer): string {
  return printable(body.toString()).slice(0, excerptLength);
}

// It ends on a terminal: one line, no control characters.
function printable(text: string): string {
  const shown = text.slice(0, messageLength).replace(/[\s\p{C}]+/gu, ' ');
  return shown.trim();
}

function withColon(text: string): string {
  return text === '' ? '' : `: ${text}`;
}
