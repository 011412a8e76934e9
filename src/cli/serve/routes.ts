import { MetricsPage } from '../../exporter/prometheus/metrics-page.ts';
import type { WatchedRecordings } from '../../exporter/prometheus/watched-recordings.ts';
import type { HttpAnswer, HttpRequest } from './http-server.ts';
import { indexPage } from './index-page.ts';

type Route = (request: HttpRequest) => HttpAnswer;

/** What `headroom serve` answers, by path. */
export function routesOf(source: string, recordings: WatchedRecordings): Route {
  const metrics = new MetricsPage(recordings);
  const routes = new Map<string, Route>([
    ['/', () => html(indexPage(source, recordings.read().files))],
    ['/healthz', () => plain(200, 'ok\n')],
    ['/metrics', ({ accept }) => ({ status: 200, ...metrics.answer(accept) })],
  ]);
  return (request) => routes.get(request.path)?.(request) ?? plain(404, 'not found\n');
}

function html(body: string): HttpAnswer {
  return { status: 200, contentType: 'text/html; charset=utf-8', body };
}

function plain(status: number, body: string): HttpAnswer {
  return { status, contentType: 'text/plain; charset=utf-8', body };
}
