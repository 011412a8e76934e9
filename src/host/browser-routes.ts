import { createRequest, updatedRequest } from './create-request.ts';
import { type Exchange, param, sendEmpty, sendJson, sendPage } from './http/exchange.ts';
import { readJson } from './http/json-body.ts';
import { HttpProblem } from './http/problem.ts';
import type { Routes } from './http/router.ts';
import type { HostSession } from './session.ts';
import type { SessionRegistry } from './session-registry.ts';
import { wantedCategories } from './telemetry/categories.ts';

/** Creation, look-up, change and deletion of sessions. */
export function browserRoutes(registry: SessionRegistry): Routes {
  return {
    'POST /browsers': async (exchange) => {
      const session = await registry.create(createRequest(await readJson(exchange)));
      sendJson(exchange, describe(session, exchange.origin));
    },
    'GET /browsers': (exchange) => listSessions(exchange, registry),
    'GET /browsers/{id}': (exchange) => {
      const id = param(exchange, 'id');
      const deleted =
        exchange.query.get('include_deleted') === 'true' ? registry.findDeleted(id) : null;
      sendJson(exchange, describe(deleted ?? registry.find(id), exchange.origin));
    },
    'PATCH /browsers/{id}': async (exchange) => {
      const session = registry.find(param(exchange, 'id'));
      session.request = updatedRequest(session.request, await readJson(exchange));
      sendJson(exchange, describe(session, exchange.origin));
    },
    'DELETE /browsers/{id}': async (exchange) => {
      await registry.delete(registry.find(param(exchange, 'id')));
      sendEmpty(exchange, 204);
    },
  };
}

/** A session as the API tells it. `cdp_ws_url` opens the browser: it is for this client alone. */
export function describe(session: HostSession, origin: string): object {
  const { id, request, jwt } = session;
  const socketOrigin = origin.replace(/^http/, 'ws');
  const isDeleted = session.deletedUnixMs !== null;
  return {
    session_id: id,
    cdp_ws_url: isDeleted ? '' : `${socketOrigin}/cdp/${id}?jwt=${jwt}`,
    webdriver_ws_url: '',
    ...(isDeleted ? {} : { base_url: `${origin}/sessions/${id}` }),
    created_at: new Date(session.createdUnixMs).toISOString(),
    headless: request.headless,
    stealth: request.stealth,
    timeout_seconds: request.timeoutSeconds,
    // Only what it really is held to.
    ...(session.cgroup === null ? {} : { memory: request.memory.label }),
    ...(request.name === null ? {} : { name: request.name }),
    ...(Object.keys(request.tags).length === 0 ? {} : { tags: request.tags }),
    ...(request.startUrl === null ? {} : { start_url: request.startUrl }),
    telemetry: telemetryOf(session),
    ...(request.viewport === null ? {} : { viewport: request.viewport }),
    usage: { uptime_ms: (session.deletedUnixMs ?? Date.now()) - session.createdUnixMs },
    ...(session.deletedUnixMs === null
      ? {}
      : { deleted_at: new Date(session.deletedUnixMs).toISOString() }),
  };
}

function telemetryOf({ request }: HostSession): object | null {
  const wanted = wantedCategories(request.telemetry);
  if (wanted.size === 0) return null;
  const browser = Object.fromEntries([...wanted].map((name) => [name, { enabled: true }]));
  return { browser };
}

function listSessions(exchange: Exchange, registry: SessionRegistry): void {
  const { query, origin } = exchange;
  const status = query.get('status') ?? 'active';
  if (!['active', 'deleted', 'all'].includes(status)) {
    throw new HttpProblem(400, 'status must be active, deleted or all');
  }
  const offset = wholeNumber(query, 'offset', { min: 0, max: 1e9, otherwise: 0 });
  const limit = wholeNumber(query, 'limit', { min: 1, max: 100, otherwise: 20 });
  const wanted = [
    ...(status === 'deleted' ? [] : registry.living),
    ...(status === 'active' ? [] : registry.deleted),
  ].filter((session) => matches(session, query));
  const page = wanted.slice(offset, offset + limit);
  const next = offset + limit < wanted.length ? offset + limit : 0;
  sendPage(
    exchange,
    page.map((session) => describe(session, origin)),
    next,
  );
}

function matches({ id, request }: HostSession, query: URLSearchParams): boolean {
  const text = query.get('query');
  if (text !== null && !id.includes(text) && request.name?.includes(text) !== true) return false;
  return [...query].every(([key, value]) => {
    const tag = /^tags\[(.+)\]$/.exec(key)?.[1];
    return tag === undefined || request.tags[tag] === value;
  });
}

/** A number of the query; 400 naming it. */
export function wholeNumber(
  query: URLSearchParams,
  name: string,
  range: { min: number; max: number; otherwise: number },
): number {
  const text = query.get(name);
  if (text === null || text === '') return range.otherwise;
  const value = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= range.min && value <= range.max) return value;
  throw new HttpProblem(400, `${name} must be a whole number, ${range.min} to ${range.max}`);
}
