import { expect, test } from 'vitest';
import type { PlatformEvent } from '../../src/session/platform-events.ts';
import { isAbsence, PlatformEvents } from '../../src/session/platform-events.ts';
import { SessionClient } from '../../src/session/session-client.ts';

/** An API that gives these answers, one after the other. */
function answering(...answers: Response[]) {
  const calls: { url: string; headers: unknown }[] = [];
  const send: typeof fetch = async (url, init = {}) => {
    calls.push({ url: String(url), headers: init.headers });
    return answers.shift() ?? new Response('', { status: 404 });
  };
  const client = new SessionClient({
    name: 'kernel:x',
    baseUrl: 'http://host/browsers/x',
    token: 'key',
    keyVariable: 'KEY',
    fetch: send,
  });
  return { platform: new PlatformEvents(client), calls };
}

const envelope = (seq: number, type = 'system_oom_kill') => ({
  seq,
  event: { ts: 1_795_960_805_123_456, type, category: 'system', data: { pid: seq } },
});
const heard = (sequence: number) => ({
  sequence,
  timeUnixMs: 1_795_960_805_123.456,
  type: 'system_oom_kill',
  data: { pid: sequence },
});
const signal = new AbortController().signal;

async function all(events: AsyncIterable<PlatformEvent>): Promise<PlatformEvent[]> {
  const list: PlatformEvent[] = [];
  for await (const event of events) list.push(event);
  return list;
}

test('the live stream: ids, comments and what is no event are passed over', async () => {
  const body = [
    ':\n\n',
    `id: 4\ndata: ${JSON.stringify(envelope(4))}\n\n`,
    'data: {"seq":"5","event":{"ts":1,"type":"x"}}\n\n',
    'data: <html>\n\n',
    `id: 6\ndata: ${JSON.stringify(envelope(6))}\n\n`,
  ];
  const { platform, calls } = answering(new Response(body.join('')));
  const live = platform.live({ afterSequence: null, replays: false, signal });
  expect(await all(live)).toEqual([heard(4), heard(6)]);
  expect(calls[0]?.url).toBe('http://host/browsers/x/telemetry/stream');
});

test.each([
  [null, true, '?replay=all', null],
  [17, true, '', '17'],
  [17, false, '', '17'],
])('after %j, replays %j: %j, Last-Event-ID %j', async (afterSequence, replays, query, last) => {
  const { platform, calls } = answering(new Response(''));
  expect(await all(platform.live({ afterSequence, replays, signal }))).toEqual([]);
  expect(calls).toMatchObject([
    {
      url: `http://host/browsers/x/telemetry/stream${query}`,
      headers: { authorization: 'Bearer key' },
    },
  ]);
  expect(new Headers(calls[0]?.headers as Record<string, string>).get('last-event-id')).toBe(last);
});

test('the past is asked for page by page, of one category', async () => {
  const page = (items: unknown[], headers: Record<string, string>) =>
    new Response(JSON.stringify(items), { headers });
  const { platform, calls } = answering(
    page([envelope(1)], { 'x-has-more': 'true', 'x-next-offset': 'opaque' }),
    // A filtered page may be empty.
    page([], { 'x-has-more': 'true', 'x-next-offset': '7' }),
    page([envelope(9), 'nonsense'], { 'x-has-more': 'false', 'x-next-offset': '0' }),
  );
  expect(await all(platform.past(1_795_960_800_000))).toEqual([heard(1), heard(9)]);
  const first =
    'http://host/browsers/x/telemetry/events?category=system&since=2026-11-29T14%3A00%3A00.000Z&limit=100';
  expect(calls.map(({ url }) => url)).toEqual([
    first,
    `${first}&offset=opaque`,
    `${first}&offset=7`,
  ]);
});

test.each([404, 403, 401, 405, 500])('an API that says %i has no past', async (status) => {
  const { platform } = answering(new Response('{"message":"no"}', { status }));
  const error = await all(platform.past(0)).catch((reason: unknown) => reason);
  expect(isAbsence(error)).toBe(true);
});

test('pages without an end are left', async () => {
  const more = { 'x-has-more': 'true', 'x-next-offset': '7' };
  const pages = Array.from({ length: 201 }, () => new Response('[]', { headers: more }));
  const { platform, calls } = answering(...pages);
  await expect(all(platform.past(0))).rejects.toThrow(RangeError);
  expect(calls).toHaveLength(200);
});
