import { HeadroomError } from '../model/errors.ts';
import { fieldsOf } from './answers.ts';
import { readEvents } from './event-stream.ts';
import type { SessionClient } from './session-client.ts';

/** What the platform of a session tells of it: the envelope of a telemetry event. */
export interface PlatformEvent {
  /** Its place in the telemetry of the session. */
  sequence: number;
  /** By the clock of the session. */
  timeUnixMs: number;
  type: string;
  /** As it came: of any shape. */
  data: Readonly<Record<string, unknown>>;
}

export interface LiveOptions {
  /** The last one that is known: what came behind it is told first. Null: none is. */
  afterSequence: number | null;
  /** With none known: what is still there of the past comes first, too. */
  replays: boolean;
  signal: AbortSignal;
}

// Events are few, and a stranger may be the server.
const mostPages = 200;
const perPage = 100;

/** The telemetry of a session, of the API that its processes and files are reached by. */
export class PlatformEvents {
  readonly #client: SessionClient;

  constructor(client: SessionClient) {
    this.#client = client;
  }

  /**
   * What happens from now on, until the signal or the end of the session. SESSION_NOT_FOUND and
   * SESSION_REFUSED where there is no telemetry, SESSION_UNREACHABLE when the contact is lost.
   */
  async *live({ afterSequence, replays, signal }: LiveOptions): AsyncGenerator<PlatformEvent> {
    const path = '/telemetry/stream';
    const response = await this.#client.open({
      method: 'GET',
      path,
      signal,
      ...(afterSequence === null && replays ? { query: { replay: 'all' } } : {}),
      ...(afterSequence === null ? {} : { headers: { 'last-event-id': String(afterSequence) } }),
    });
    for await (const text of this.#texts(path, response, signal)) {
      const event = parsePlatformEvent(parsed(text));
      if (event !== null) yield event;
    }
  }

  /**
   * What happened since then to the system of the session (processes killed and services crashed),
   * oldest first; also of a session that is deleted. Errors as of {@link live}, where the API keeps
   * nothing, or not for us; RangeError behind so many pages that no session has them.
   */
  async *past(sinceUnixMs: number): AsyncGenerator<PlatformEvent> {
    const since = new Date(sinceUnixMs).toISOString();
    let offset = '0';
    for (let page = 0; page < mostPages; page++) {
      const answer = await this.#page({
        category: 'system',
        since,
        limit: String(perPage),
        offset,
      });
      yield* answer.items.flatMap((item) => parsePlatformEvent(item) ?? []);
      if (answer.next === null) return;
      offset = answer.next;
    }
    throw new RangeError(`more than ${mostPages} pages of events`);
  }

  async #page(query: Readonly<Record<string, string>>) {
    const path = '/telemetry/events';
    const { offset, ...first } = query;
    const response = await this.#client.open({
      method: 'GET',
      path,
      query: offset === '0' ? first : query,
    });
    const body = await this.#client.whole(path, response);
    const items = parsed(body.toString('utf8'));
    const next = response.headers.get('x-next-offset');
    const hasMore = response.headers.get('x-has-more') === 'true' && next !== null && next !== '';
    return { items: Array.isArray(items) ? items : [], next: hasMore ? next : null };
  }

  async *#texts(path: string, response: Response, signal: AbortSignal): AsyncGenerator<string> {
    try {
      yield* readEvents(this.#client.body(path, response, signal));
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw this.#client.failure(path, error.message);
    }
  }
}

/** Whether it says that this API has no telemetry, or none for this key: an older server, no plan. */
export function isAbsence(error: unknown): boolean {
  if (!(error instanceof HeadroomError)) return false;
  return ['SESSION_NOT_FOUND', 'SESSION_REFUSED', 'SESSION_CALL_FAILED'].includes(error.code);
}

/** `{ seq, event: { ts, type, data } }` (ts in microseconds); null for what is none. */
export function parsePlatformEvent(envelope: unknown): PlatformEvent | null {
  const { seq, event } = fieldsOf(envelope);
  const { ts, type, data } = fieldsOf(event);
  if (!Number.isSafeInteger(seq) || !Number.isFinite(ts) || typeof type !== 'string') return null;
  return { sequence: Number(seq), timeUnixMs: Number(ts) / 1_000, type, data: fieldsOf(data) };
}

/** Null for what is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return null;
  }
}
