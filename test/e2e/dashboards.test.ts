import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { alertGroups } from '../../dashboards/alert-rules.ts';
import { recordingGroups } from '../../dashboards/recording-rules.ts';
import { exprOf } from '../../dashboards/rule.ts';
import type { SessionReport } from '../../src/analysis/session-report.ts';
import type { OomKill } from '../../src/model/event.ts';
import { openDatabase } from '../../src/store/driver.ts';
import { openRecording } from '../../src/store/reader.ts';
import {
  firstChoices,
  interpolate,
  readDashboard,
  type SentQuery,
  sentQueries,
  type Viewer,
} from '../support/grafana-dashboard.ts';
import { runCli, temporaryFolder } from '../support/headroom-cli.ts';
import { type MetricsServer, serversMissing } from '../support/metrics-server.ts';
import {
  eventually,
  flush,
  sendRecording,
  startPrometheus,
  startVictoriaMetrics,
  startVmagent,
} from '../support/metrics-servers.ts';
import { ownKill, recordUntilKill, warmUpChromium } from '../support/oom-recording.ts';

const folder = temporaryFolder();
const file = folder.file('leak.db');

/** One recording of a real leak and a real kill, that all of this file looks at. */
let report: SessionReport;
let kill: OomKill;
let viewer: Viewer;

beforeAll(async () => {
  await warmUpChromium();
  const leak = 'setInterval(() => kept.push(new Uint8Array(6 << 20).fill(1)), 250);';
  await recordUntilKill(file, '400MiB', `const kept = [];${leak}`);
  report = JSON.parse((await runCli('report', file, '--json')).stdout);
  using recording = openRecording(file);
  kill = ownKill(recording);
  viewer = {
    fromUnixMs: recording.facts.startedUnixMs - 5_000,
    // What is looked at once a minute is looked at once more.
    toUnixMs: (recording.facts.endedUnixMs ?? 0) + 61_000,
    variables: { session: recording.facts.id, datasource: 'any' },
  };
});

afterAll(() => folder[Symbol.dispose]());

describe.skipIf(serversMissing('prometheus', 'victoria-metrics', 'vmagent')).each([
  { name: 'Prometheus', start: startFilledPrometheus },
  { name: 'VictoriaMetrics', start: startFilledVictoriaMetrics },
])('$name, filled by our own export', ({ start }) => {
  let server: MetricsServer;

  beforeAll(async () => {
    server = await start();
  });

  afterAll(() => server?.[Symbol.asyncDispose]());

  test.each(['session-overview', 'fleet-sizing', 'post-mortem'])(
    '%s: every query of a panel and every annotation has series',
    async (name) => {
      const queries = sentQueries(readDashboard(name), viewer);
      expect(queries.length).toBeGreaterThan(10);
      const without = [];
      for (const query of queries) {
        const values = await valuesOf(query);
        if (!values.some(Number.isFinite)) without.push(`${query.name}: ${query.expr}`);
      }
      expect(without).toEqual([]);
    },
  );

  test.each(['session-overview', 'fleet-sizing', 'post-mortem'])(
    '%s: every variable offers what there is',
    async (name) => {
      const dashboard = readDashboard(name);
      const offered = new Map<string, unknown>();
      for (const variable of dashboard.templating.list.filter(({ type }) => type === 'query')) {
        const chosen = { ...firstChoices(dashboard), ...viewer.variables };
        const query = interpolate(variable.query, chosen);
        const [, selector = '', label = ''] = /^label_values\((.*), (\w+)\)$/.exec(query) ?? [];
        const range = {
          start: String(viewer.fromUnixMs / 1000),
          end: String(viewer.toUnixMs / 1000),
        };
        const parameters = { 'match[]': selector, ...range };
        offered.set(variable.name, await server.api(`label/${label}/values`, parameters));
      }
      expect(offered.get('tier')).toEqual(['400MiB']);
      expect(offered.get('provider')).toEqual(['local']);
      if (name !== 'fleet-sizing') expect(offered.get('session')).toEqual([report.session.id]);
    },
  );

  test('the p95 on the panel is that of the report', async () => {
    const [p95] = await valuesOf(panelQuery('session-overview', 'Working set, p95 A'));
    expect(Math.round(p95 ?? Number.NaN)).toBe(report.memory.workingSetBytes?.p95);
  });

  test('the worst moment and the kills on the panels are those of the report', async () => {
    const [lowest] = await valuesOf(panelQuery('session-overview', 'Lowest headroom A'));
    expect(lowest).toBeCloseTo(report.memory.headroomMinRatio ?? Number.NaN, 6);
    const kills = report.oomKills.filter(({ inSession, role }) => inSession && role !== null);
    const [counted] = await valuesOf(panelQuery('session-overview', 'OOM kills of the browser A'));
    expect(counted).toBe(kills.length);
    const inSteps = await valuesOf(panelQuery('fleet-sizing', 'OOM kills A'));
    expect(inSteps.reduce((sum, step) => sum + step, 0)).toBe(kills.length);
  });

  test('the kill is marked at its time', async () => {
    const query = panelQuery('post-mortem', 'OOM kills of the browser');
    const [marked] = await server.queryRange(query.expr, { ...viewer, stepSeconds: 1 });
    expect(marked?.values).toHaveLength(1);
    expect(marked?.metric['headroom_process_role']).toBe('renderer');
    // Known with the sample that comes after it.
    const lateMs = (marked?.values[0]?.timeUnixMs ?? 0) - (kill.timeUnixMs ?? 0);
    expect(lateMs).toBeGreaterThan(-1_000);
    expect(lateMs).toBeLessThan(15_000);
  });

  test('every rule has series to look at, and the kill raises its alert', async () => {
    const alerts = alertGroups.flatMap(({ rules }) => rules);
    const recorded = recordingGroups.flatMap(({ rules }) => rules);
    const without = [];
    for (const expr of [
      ...alerts.map(({ signal }) => signal),
      ...recorded.map((rule) => rule.expr),
    ]) {
      const values = await valuesOf({ name: '', expr, stepSeconds: 1 });
      if (!values.some(Number.isFinite)) without.push(expr);
    }
    expect(without).toEqual([]);
    const raised = [];
    for (const rule of alerts) {
      const values = await valuesOf({ name: '', expr: exprOf(rule), stepSeconds: 1 });
      if (values.length > 0) raised.push(rule.alert);
    }
    expect(raised).toEqual(expect.arrayContaining(['HeadroomOomKill', 'HeadroomMemoryLow']));
    expect(raised).not.toContain('HeadroomTierTooSmall');
  });

  /** All values of all series; of an instant query at the end of the time range. */
  async function valuesOf({ expr, stepSeconds }: SentQuery): Promise<number[]> {
    if (stepSeconds === null) {
      return (await server.query(expr, viewer.toUnixMs)).map(({ value }) => value);
    }
    const found = await server.queryRange(expr, { ...viewer, stepSeconds });
    return found.flatMap(({ values }) => values.map(({ value }) => value));
  }
});

describe('the dashboard of a file', () => {
  const dashboard = readDashboard('session-file');
  const ofPanels = dashboard.panels.flatMap(({ title, targets = [] }) =>
    targets.map((target) => ({ name: title, target })),
  );
  const ofAnnotations = (dashboard.annotations.list ?? []).map(({ name, target }) => ({
    name: `${name}, annotation`,
    target,
  }));

  test.each([...ofPanels, ...ofAnnotations])('$name has rows', ({ target }) => {
    const rows = rowsOf(target?.rawQueryText ?? '');
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.some((row) => Object.values(row).some((value) => value !== null))).toBe(true);
    // The plugin reads these columns as Unix seconds, and makes series of rows in their order.
    expect(target?.timeColumns).toEqual(['time']);
    if (target?.queryType !== 'time series') return;
    const times = rows.map((row) => Number(row['time']));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(times[0]).toBeGreaterThan(viewer.fromUnixMs / 1000 - 1);
    expect(times[0]).toBeLessThan(viewer.toUnixMs / 1000);
  });

  test('says what the report says', () => {
    const of = (title: string) =>
      rowsOf(ofPanels.find(({ name }) => name === title)?.target.rawQueryText ?? '');
    expect(of('OOM kills')).toEqual([{ kills: report.oomKills.length }]);
    expect(of('Working set at most')).toEqual([{ highest: report.memory.workingSetBytes?.max }]);
    expect(of('Recording')[0]).toMatchObject({ session: report.session.id, limit: 400 * 2 ** 20 });
    expect(of('Events').map((row) => row['what'])).toContainEqual(
      expect.stringContaining(
        `pid ${kill.pid}, with ${Math.floor((kill.rssBytes ?? 0) / 2 ** 20)} MiB`,
      ),
    );
  });

  function rowsOf(rawQueryText: string): Record<string, unknown>[] {
    const db = openDatabase(file, { mode: 'read', busyTimeoutMs: 1_000 });
    try {
      const range = { __from: String(viewer.fromUnixMs), __to: String(viewer.toUnixMs) };
      const sql = interpolate(rawQueryText, { ...range, __interval_ms: '1000' });
      return db.prepare<[], Record<string, unknown>>(sql).all();
    } finally {
      db.close();
    }
  }
});

function panelQuery(dashboard: string, name: string): SentQuery {
  const query = sentQueries(readDashboard(dashboard), viewer).find((one) => one.name === name);
  if (query === undefined) throw new Error(`no ${name} in ${dashboard}`);
  return query;
}

async function startFilledVictoriaMetrics(): Promise<MetricsServer> {
  const server = await startVictoriaMetrics();
  await exportTo(server);
  await flush(server);
  return server;
}

/** Prometheus of Debian has no receiver for OTLP: vmagent takes it and writes it there. */
async function startFilledPrometheus(): Promise<MetricsServer> {
  const server = await startPrometheus();
  await using agent = await startVmagent(server);
  await exportTo(agent);
  await eventually(async () => ((await hasWrittenAll(agent)) ? true : null));
  return server;
}

/** Every row that vmagent took is in a block, and every block was accepted. */
async function hasWrittenAll(agent: MetricsServer): Promise<boolean> {
  const metrics = await agent.text('/metrics');
  const figure = (name: string) => {
    const lines = metrics.split('\n').filter((line) => line.startsWith(name));
    return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
  };
  const rows = figure('vmagent_rows_inserted_total{type="opentelemetry"}');
  return (
    rows > 0 &&
    figure('vmagent_remotewrite_block_size_rows_sum') === rows &&
    figure('vmagent_remotewrite_requests_total') ===
      figure('vmagent_remotewrite_block_size_rows_count')
  );
}

async function exportTo(receiver: MetricsServer): Promise<void> {
  await sendRecording(file, receiver, '--resend');
  // What the exporter says of itself is of now, and VictoriaMetrics leaves out the last steps of a range.
  viewer.toUnixMs = Math.max(viewer.toUnixMs, Date.now() + 61_000);
}
