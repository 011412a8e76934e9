import type { LiveMessage } from '../page-data.ts';
import { takeAhead } from './ahead.ts';
import { apiAddress, type Query } from './api-address.ts';
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

async function get<Answer>(path: string, parameters: Query = {}): Promise<Answer> {
  const address = apiAddress(path, parameters);
  const response = await (takeAhead(address) ?? fetch(address));
  // It takes longer than an answer may.
  if (response.status === 202) return await get(path, parameters);
  if (!response.ok) throw new Error((await response.text()).trim());
  return await response.json();
}

function listen(names: readonly string[], on: Parameters<Source['listen']>[1]): () => void {
  // Connects again by itself when the server was away.
  const events = new EventSource(apiAddress('/api/live', { recording: names }));
  events.addEventListener('open', () => on({ kind: 'connected' }));
  events.addEventListener('message', ({ data }) => on(JSON.parse(data) as LiveMessage));
  return () => events.close();
}
