import type { LiveMessage } from '../page-data.ts';
import { takeAhead } from './ahead.ts';
import type { Range, Source } from './source.ts';

/** The server that the page came from. */
export function httpSource(): Source {
  return {
    list: () => get('/api/recordings'),
    head: (recording) => get('/api/head', { recording }),
    report: (recording) => get('/api/report', { recording }),
    pictures: (recording, request) =>
      get('/api/pictures', {
        recording,
        ...(request === undefined ? {} : { ...bounds(request), columns: request.columns }),
      }),
    processes: (recording, { columns, ...range }, keys) =>
      get('/api/processes', {
        recording,
        ...bounds(range),
        columns,
        process: keys.map(({ pid, startTicks }) => `${pid}-${startTicks}`),
      }),
    window: (recording, range) => get('/api/window', { recording, ...bounds(range) }),
    size: (names) => get('/api/size', { recording: names }),
    hasLine: () => true,
    listen,
  };
}

function bounds({ fromUnixMs, toUnixMs }: Range) {
  return { from: fromUnixMs, to: toUnixMs };
}

type Query = Readonly<Record<string, string | number | readonly string[]>>;

async function get<Answer>(path: string, parameters: Query = {}): Promise<Answer> {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (typeof value === 'object') for (const one of value) query.append(name, one);
    else query.append(name, String(value));
  }
  const address = `${path}?${query}`;
  const response = await (takeAhead(address) ?? fetch(address));
  // It takes longer than an answer may.
  if (response.status === 202) return await get(path, parameters);
  if (!response.ok) throw new Error((await response.text()).trim());
  return await response.json();
}

function listen(names: readonly string[], on: Parameters<Source['listen']>[1]): () => void {
  const query = new URLSearchParams(names.map((name) => ['recording', name]));
  // Connects again by itself when the server was away.
  const events = new EventSource(`/api/live?${query}`);
  events.addEventListener('open', () => on({ kind: 'connected' }));
  events.addEventListener('message', ({ data }) => on(JSON.parse(data) as LiveMessage));
  return () => events.close();
}
