import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import {
  type Dashboard,
  interpolate,
  type SentQuery,
  sentQueries,
  type Target,
} from '../../test/support/grafana-dashboard.ts';
import type { MetricsServer } from '../../test/support/metrics-server.ts';
import { flush, startVictoriaMetrics } from '../../test/support/metrics-servers.ts';

/** A result as the page makes a frame of it. */
export interface Frame {
  refId: string;
  fields: {
    name: string;
    type: 'time' | 'number' | 'string';
    values: unknown[];
    labels?: Record<string, string>;
    title?: string;
  }[];
}

export interface Results {
  /** By number of the panel. */
  frames: Record<number, Frame[]>;
  annotations: { timeUnixMs: number; color: string; text: string }[];
}

export interface TimeSpan {
  fromUnixMs: number;
  toUnixMs: number;
}

const main = fileURLToPath(new URL('../../dist/cli/headroom.cjs', import.meta.url));

/** Of a VictoriaMetrics that our own export filled with these recordings. */
export async function metricResults(
  dashboard: Dashboard,
  of: { files: readonly string[]; session: string; range: TimeSpan },
): Promise<Results> {
  await using server = await startVictoriaMetrics();
  for (const file of of.files) {
    const endpoint = `${server.url}/opentelemetry/v1/metrics`;
    const env = { ...process.env, OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: endpoint };
    spawnSync(process.execPath, [main, 'export', file, '--to', 'otlp', '--resend'], { env });
  }
  await flush(server);
  const viewer = { ...of.range, variables: { session: of.session, datasource: '', every: '1s' } };
  // What the exporter says of itself is of now.
  const untilNow = { ...viewer, toUnixMs: Date.now() + 1_000 };
  const queries = new Map(
    [viewer, untilNow].flatMap((one) =>
      sentQueries(dashboard, one)
        .filter(({ stepSeconds }) => (stepSeconds === null) === (one === untilNow))
        .map((query): [string, SentQuery] => [query.name, query]),
    ),
  );
  const frames: Results['frames'] = {};
  for (const { id, title, targets = [] } of dashboard.panels) {
    const made: Frame[] = [];
    for (const target of targets) {
      const query = queries.get(`${title} ${target.refId}`);
      if (query !== undefined)
        made.push(
          ...(await framesOf(server, {
            target,
            query,
            range: of.range,
            alone: targets.length === 1,
          })),
        );
    }
    frames[id] = made;
  }
  const annotations: Results['annotations'] = [];
  for (const { name, iconColor = 'red' } of dashboard.annotations.list ?? []) {
    const query = queries.get(name);
    if (query === undefined) continue;
    const found = await server.queryRange(query.expr, { ...of.range, stepSeconds: 1 });
    for (const { timeUnixMs } of found.flatMap(({ values }) => values)) {
      annotations.push({ timeUnixMs, color: iconColor, text: name });
    }
  }
  return { frames, annotations };
}

async function framesOf(
  server: MetricsServer,
  of: { target: Target; query: SentQuery; range: TimeSpan; alone: boolean },
): Promise<Frame[]> {
  const { refId, format, legendFormat = '' } = of.target;
  const { expr, stepSeconds } = of.query;
  if (stepSeconds === null) {
    const found = await server.query(expr, Date.now() + 1_000);
    if (format !== 'table') {
      return found.map(({ metric, value }) => ({
        refId,
        fields: [
          { name: 'Value', type: 'number', values: [value], title: legendOf(legendFormat, metric) },
        ],
      }));
    }
    const labels = Object.keys(found[0]?.metric ?? {});
    const texts = labels.map((label): Frame['fields'][number] => ({
      name: label,
      type: 'string',
      values: found.map(({ metric }) => metric[label] ?? ''),
    }));
    const name = of.alone ? 'Value' : `Value #${refId}`;
    const time = {
      name: 'Time',
      type: 'time',
      values: found.map(() => of.range.toUnixMs),
    } as const;
    const values = { name, type: 'number', values: found.map(({ value }) => value) } as const;
    return [{ refId, fields: [time, ...texts, values] }];
  }
  const found = await server.queryRange(expr, { ...of.range, stepSeconds });
  return found.map(({ metric, values }) => ({
    refId,
    fields: [
      { name: 'Time', type: 'time', values: values.map(({ timeUnixMs }) => timeUnixMs) },
      {
        name: 'Value',
        type: 'number',
        values: values.map(({ value }) => value),
        labels: metric,
        title: legendOf(legendFormat, metric),
      },
    ],
  }));
}

function legendOf(format: string, labels: Record<string, string>): string {
  return format.replace(/\{\{(\w+)\}\}/g, (_, label) => labels[label] ?? '');
}

/** Of the recording itself, in the way of the plugin frser-sqlite-datasource. */
export function fileResults(dashboard: Dashboard, of: { file: string; range: TimeSpan }): Results {
  const db = new Database(of.file, { readonly: true });
  const stepMs = Math.max(
    1000,
    Math.ceil((of.range.toUnixMs - of.range.fromUnixMs) / 500_000) * 1000,
  );
  const variables = {
    __from: String(of.range.fromUnixMs),
    __to: String(of.range.toUnixMs),
    __interval_ms: String(stepMs),
  };
  const rowsOf = (sql: string) =>
    db.prepare<[], Record<string, unknown>>(interpolate(sql, variables)).all();
  const frames = Object.fromEntries(
    dashboard.panels.map(({ id, targets = [] }) => [
      id,
      targets.flatMap(({ refId, rawQueryText = '', queryType }) => {
        const rows = rowsOf(rawQueryText);
        return queryType === 'time series' ? seriesOf(refId, rows) : [tableOf(refId, rows)];
      }),
    ]),
  );
  const annotations = (dashboard.annotations.list ?? []).flatMap(
    ({ name, iconColor = 'red', target }) =>
      rowsOf(target?.rawQueryText ?? '').map((row) => ({
        timeUnixMs: Number(row['time']) * 1000,
        color: iconColor,
        text: name,
      })),
  );
  db.close();
  return { frames, annotations };
}

function tableOf(refId: string, rows: readonly Record<string, unknown>[]): Frame {
  const fields = Object.keys(rows[0] ?? {}).map((name): Frame['fields'][number] => {
    const values = rows.map((row) => row[name]);
    if (name === 'time')
      return { name, type: 'time', values: values.map((value) => Number(value) * 1000) };
    return {
      name,
      type: values.some((value) => typeof value === 'string') ? 'string' : 'number',
      values,
    };
  });
  return { refId, fields };
}

/** Texts are labels: a series for each combination of them and each column of figures. */
function seriesOf(refId: string, rows: readonly Record<string, unknown>[]): Frame[] {
  const columns = Object.keys(rows[0] ?? {}).filter((name) => name !== 'time');
  const texts = columns.filter((name) => rows.some((row) => typeof row[name] === 'string'));
  const groups = new Map<string, Record<string, unknown>[]>();
  for (const row of rows) {
    const key = texts.map((name) => row[name]).join(' ');
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return [...groups.values()].flatMap((group) =>
    columns
      .filter((name) => !texts.includes(name))
      .map(
        (name): Frame => ({
          refId,
          fields: [
            { name: 'time', type: 'time', values: group.map((row) => Number(row['time']) * 1000) },
            {
              name,
              type: 'number',
              values: group.map((row) => row[name]),
              labels: Object.fromEntries(texts.map((text) => [text, String(group[0]?.[text])])),
            },
          ],
        }),
      ),
  );
}
