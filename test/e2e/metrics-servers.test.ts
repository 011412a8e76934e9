import { expect, test } from 'vitest';
import { checkMetrics, serversMissing } from '../support/metrics-server.ts';
import {
  eventually,
  flush,
  startPrometheus,
  startVictoriaMetrics,
  startVmagent,
} from '../support/metrics-servers.ts';

test.skipIf(serversMissing('prometheus', 'promtool'))(
  'Prometheus scrapes and answers',
  async () => {
    await using scraped = await startPrometheus();
    await using prometheus = await startPrometheus({ scrape: [`${scraped.url}/metrics`] });
    const up = await eventually(async () => (await prometheus.query('up == 1'))[0] ?? null);
    expect(up.metric['instance']).toBe(new URL(scraped.url).host);
    expect(checkMetrics(await scraped.text('/metrics'))).toMatchObject({ status: 0 });
  },
);

test.skipIf(serversMissing('prometheus', 'vmagent', 'victoria-metrics'))(
  'VictoriaMetrics and vmagent take what is written to them',
  async () => {
    await using victoria = await startVictoriaMetrics();
    await using prometheus = await startPrometheus();
    await using agent = await startVmagent(prometheus);
    for (const { url } of [victoria, agent]) {
      const response = await fetch(`${url}/api/v1/import/prometheus`, {
        method: 'POST',
        body: 'canary_bytes{session_id="a"} 42\n',
      });
      expect(response.status).toBe(204);
    }
    await flush(victoria);
    for (const server of [victoria, prometheus]) {
      const series = await eventually(async () => (await server.query('canary_bytes'))[0] ?? null);
      expect(series).toMatchObject({ value: 42, metric: { session_id: 'a' } });
    }
  },
);
