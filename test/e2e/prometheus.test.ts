import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SessionReport } from '../../src/analysis/session-report.ts';
import { runCli, temporaryFolder } from '../support/headroom-cli.ts';
import { type HeadroomServer, startServer } from '../support/headroom-server.ts';
import { checkMetrics, type MetricsServer, serversMissing } from '../support/metrics-server.ts';
import {
  eventually,
  flush,
  sendRecording,
  startPrometheus,
  startVictoriaMetrics,
  startVmagent,
} from '../support/metrics-servers.ts';
import { recordUntilKill, warmUpChromium } from '../support/oom-recording.ts';

const folder = temporaryFolder();
// Slow enough to be seen alive: the first figures are shown after five seconds.
const script =
  'const kept = []; setInterval(() => kept.push(new Uint8Array(12 << 20).fill(1)), 300);';

afterAll(() => folder[Symbol.dispose]());

describe.skipIf(serversMissing('prometheus', 'promtool', 'victoria-metrics', 'vmagent'))(
  'a Chromium that leaks and is killed, scraped by a real Prometheus',
  () => {
    let server: HeadroomServer;
    let prometheus: MetricsServer;
    let report: SessionReport;
    const file = folder.file('leak.db');
    /** Answers while it was recorded, and after its end. */
    const live = { text: '', openMetrics: '' };
    let after = '';

    beforeAll(async () => {
      await warmUpChromium();
      server = await startServer(folder.path, '--per-process');
      prometheus = await startPrometheus({ scrape: [`${server.url}/metrics`] });
      const recording = recordUntilKill(file, '400MiB', script);
      const looking = eventually(async () => {
        live.text = await server.get('/metrics');
        live.openMetrics = await server.get('/metrics', 'application/openmetrics-text');
        return live.openMetrics.includes('headroom_memory_limit_bytes{') ? live : null;
      }, 150_000);
      // Whatever becomes of the one, the other one comes to its end.
      await Promise.allSettled([looking, recording]);
      await looking;
      await recording;
      report = JSON.parse((await runCli('report', file, '--json')).stdout);
      // The end is scraped like everything else: within its interval.
      await eventually(async () => (await prometheus.query(sessionP95))[0] ?? null);
      after = await server.get('/metrics');
    }, 300_000);

    afterAll(async () => {
      await prometheus?.[Symbol.asyncDispose]();
      const end = await server?.stop();
      expect(end).toMatchObject({ exitCode: 0 });
    });

    test.each([
      ['while it is recorded', () => live.text],
      ['after its end', () => after],
    ])('promtool has nothing to say against it %s', (_, text) => {
      expect(checkMetrics(text())).toMatchObject({ status: 0, stderr: '', stdout: '' });
    });

    test('Prometheus takes all of it, as OpenMetrics', async () => {
      expect(await prometheus.api('targets', { state: 'active' })).toMatchObject({
        activeTargets: [{ health: 'up', lastError: '' }],
      });
      expect(live.openMetrics).toMatch(/# EOF\n$/);
      const metadata = await prometheus.api('metadata', { metric: 'headroom_oom_kills' });
      expect(metadata).toEqual({
        headroom_oom_kills: [expect.objectContaining({ type: 'counter' })],
      });
    });

    test('its percentiles read back are those of the report', async () => {
      for (const stat of ['p50', 'p90', 'p95', 'p99', 'max'] as const) {
        const [series] = await prometheus.query(sessionP95.replace('p95', stat));
        // The report's are whole bytes.
        expect(Math.round(series?.value ?? Number.NaN)).toBe(report.memory.workingSetBytes?.[stat]);
      }
      const renderer = report.roles.find(({ role }) => role === 'renderer');
      const [rss] = await prometheus.query(
        sessionP95
          .replace('memory_working_set', 'browser_memory_rss')
          .replace('{', '{headroom_process_role="renderer",'),
      );
      expect(rss?.value).toBe(renderer?.rssBytes?.p95);
    });

    test('the kill is an increase from 0, by the count of the kernel and by role', async () => {
      const ours = report.oomKills.filter(({ inSession }) => inSession).length;
      expect(ours).toBeGreaterThan(0);
      const kills = 'headroom_oom_kills_total{headroom_oom_scope="cgroup"}';
      const victims = 'sum(headroom_oom_victims_total)';
      expect((await prometheus.query(kills))[0]?.value).toBe(ours);
      expect((await prometheus.query(victims))[0]?.value).toBe(ours);
      const [first] = await prometheus.query(`min_over_time(${kills}[1h])`);
      expect(first?.value).toBe(0);
      expect((await prometheus.query(`increase(${kills}[1h]) > 0`)).length).toBe(1);
    });

    test('after its end it is not shown as live', async () => {
      expect(live.text).toContain('headroom_serve_recordings{headroom_recording_state="live"} 1\n');
      expect(after).toContain('headroom_serve_recordings{headroom_recording_state="ended"} 1\n');
      expect(await prometheus.query('headroom_memory_working_set_bytes')).toEqual([]);
      const [last] = await prometheus.query('last_over_time(headroom_memory_limit_bytes[1h])');
      expect(last?.value).toBe(400 * 2 ** 20);
    });

    test('the same file sent as OTLP has the same names, labels and values', async () => {
      await using victoria = await startVictoriaMetrics();
      await using second = await startPrometheus();
      await using agent = await startVmagent(second);
      for (const receiver of [victoria, agent]) {
        await sendRecording(file, receiver, '--per-process');
      }
      await flush(victoria);
      await eventually(async () => (await second.query(lastOf(sessionP95)))[0] ?? null);
      const scraped = await namesAndLabels(prometheus);
      expect(scraped.size).toBeGreaterThan(40);
      expect(scraped.get('process_memory_usage_bytes')).toContain('process_pid');
      for (const receiver of [victoria, second]) {
        expect(await namesAndLabels(receiver)).toEqual(scraped);
        for (const selector of [
          sessionP95,
          'headroom_oom_kills_total{headroom_oom_scope="cgroup"}',
        ]) {
          const [sent] = await receiver.query(lastOf(selector));
          const [scraped] = await prometheus.query(lastOf(selector));
          // VictoriaMetrics keeps 15 digits.
          expect((sent?.value ?? 0) / (scraped?.value ?? 0)).toBeCloseTo(1, 12);
        }
      }
    });
  },
);

const sessionP95 =
  'headroom_rollup_memory_working_set_bytes{headroom_rollup_stat="p95",headroom_rollup_window="session"}';

function lastOf(selector: string): string {
  return `last_over_time(${selector}[1h])`;
}

/** Of every metric of a session the names of its labels; those of the scrape and the resource aside. */
async function namesAndLabels(server: MetricsServer): Promise<Map<string, string[]>> {
  // Those of the exporter itself are in no recording.
  const selector = '{session_id!="",__name__!~"headroom_export_.*"}';
  const series = (await server.api('series', { 'match[]': selector })) as Record<string, string>[];
  const labels = new Map<string, Set<string>>();
  for (const { __name__: name = '', ...others } of series) {
    const known = labels.get(name) ?? new Set();
    labels.set(name, known);
    for (const label of Object.keys(others)) if (!notOfThePoint.test(label)) known.add(label);
  }
  return new Map([...labels].sort().map(([name, known]) => [name, [...known].sort()]));
}

const notOfThePoint = /^(job|instance|host_name|os_type|service_.*|scope_.*)$/;
