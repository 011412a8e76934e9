import { wholeNumber } from '../browser-routes.ts';
import { type Exchange, param, sendPage } from '../http/exchange.ts';
import { HttpProblem } from '../http/problem.ts';
import type { Routes } from '../http/router.ts';
import { startEventStream } from '../http/sse.ts';
import type { HostPolicy } from '../quirks.ts';
import type { HostSession } from '../session.ts';
import type { SessionRegistry } from '../session-registry.ts';
import type { TelemetryEnvelope } from './telemetry-log.ts';

/** Live events, below `/browsers/{id}` and below `base_url`. */
export function telemetryStreamRoutes(sessionOf: (exchange: Exchange) => HostSession): Routes {
  return {
    'GET /telemetry/stream': async (exchange) => {
      const session = sessionOf(exchange);
      const signal = AbortSignal.any([exchange.signal, session.ending]);
      const stream = startEventStream(exchange);
      for await (const envelope of session.telemetry.follow(afterSeq(exchange, session), signal)) {
        await stream.send(envelope, envelope.seq);
      }
      stream.end();
    },
  };
}

/** What happened, also after the session was deleted. */
export function telemetryArchiveRoutes(
  registry: SessionRegistry,
  policy: Pick<HostPolicy, 'splitsCategories'>,
): Routes {
  return {
    'GET /browsers/{id}/telemetry/events': (exchange) => {
      const id = param(exchange, 'id');
      const { telemetry } = registry.findDeleted(id) ?? registry.find(id);
      sendEvents(exchange, telemetry.events, policy);
    },
  };
}

function afterSeq({ request, query }: Exchange, { telemetry }: HostSession): number {
  const last = Number(request.headers['last-event-id'] ?? 0);
  if (Number.isSafeInteger(last) && last > 0) return last;
  return query.get('replay') === 'all' ? 0 : telemetry.lastSeq;
}

function sendEvents(
  exchange: Exchange,
  all: readonly TelemetryEnvelope[],
  { splitsCategories }: Pick<HostPolicy, 'splitsCategories'>,
): void {
  const { query } = exchange;
  const isNewestFirst = query.get('order') === 'desc';
  if (isNewestFirst && query.has('since')) {
    throw new HttpProblem(400, 'since cannot be combined with order=desc');
  }
  const limit = wholeNumber(query, 'limit', { min: 1, max: 100, otherwise: 20 });
  const offset = wholeNumber(query, 'offset', { min: 0, max: 1e9, otherwise: 0 });
  const categories = query
    .getAll('category')
    .flatMap((text) => (splitsCategories ? text.split(',') : text));
  const nowMs = Date.now();
  const sinceMs = isNewestFirst ? 0 : (instant(query, 'since', nowMs) ?? nowMs - 300_000);
  const untilMs = instant(query, 'until', nowMs) ?? Number.POSITIVE_INFINITY;
  const wanted = all.filter(
    ({ event }) =>
      event.ts >= sinceMs * 1_000 &&
      event.ts < untilMs * 1_000 &&
      (categories.length === 0 || categories.includes(event.category)),
  );
  if (isNewestFirst) wanted.reverse();
  const next = offset + limit < wanted.length ? offset + limit : 0;
  sendPage(exchange, wanted.slice(offset, offset + limit), next);
}

const unitsMs: Readonly<Record<string, number>> = { s: 1e3, m: 6e4, h: 3.6e6, d: 8.64e7 };

/** RFC 3339, or how long ago (`5m`, `1h30m`), in ms; null when it is not given. */
function instant(query: URLSearchParams, name: string, nowMs: number): number | null {
  const text = query.get(name);
  if (text === null || text === '') return null;
  if (/^(\d{1,9}[smhd])+$/.test(text)) {
    const parts = text.match(/\d+[smhd]/g) ?? [];
    const agoMs = parts.reduce(
      (sum, part) => sum + Number.parseInt(part, 10) * (unitsMs[part.slice(-1)] ?? 0),
      0,
    );
    return nowMs - agoMs;
  }
  const unixMs = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(unixMs)) {
    throw new HttpProblem(400, `${name} must be a time (RFC 3339) or a duration such as 5m`);
  }
  return unixMs;
}
