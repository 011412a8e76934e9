import { MetricsPage } from '../../exporter/prometheus/metrics-page.ts';
import type { WatchedRecordings } from '../../exporter/prometheus/watched-recordings.ts';
import type { HttpAnswer, HttpRequest, HttpStream } from './http-server.ts';
import { pageRoutes } from './page/page-routes.ts';
import type { ProblemTeller } from './problem-teller.ts';

export interface Routes {
  answer(request: HttpRequest): HttpAnswer | HttpStream | Promise<HttpAnswer>;
  close(): Promise<void>;
}

/** What `headroom serve` answers, by path; `tell`: of files that cannot be read. */
export function routesOf(
  source: string,
  recordings: WatchedRecordings,
  tell: ProblemTeller,
): Routes {
  const metrics = new MetricsPage(recordings);
  const page = pageRoutes(source, tell);
  const routes = new Map<string, Routes['answer']>([
    ...page.routes,
    ['/healthz', () => plain(200, 'ok\n')],
    ['/metrics', async ({ accept }) => ({ status: 200, ...(await metrics.answer(accept)) })],
  ]);
  return {
    answer: (request) => routes.get(request.path)?.(request) ?? plain(404, 'not found\n'),
    close: page.close,
  };
}

function plain(status: number, body: string): HttpAnswer {
  return { status, contentType: 'text/plain; charset=utf-8', body };
}
