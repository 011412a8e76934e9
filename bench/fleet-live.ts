/**
 * A fleet of live sessions in a real VictoriaMetrics: SESSIONS of them (1,000 by default) play
 * MINUTES at one sample every INTERVAL_S, all at the same time, as requests of our own exporter. Then
 * every query of the fleet dashboard is run over the last 24 hours, and every rule. 10,000 sessions
 * take some minutes, 5 GB of memory and 1 GB of disk.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { alertGroups } from '../dashboards/alert-rules.ts';
import { recordingGroups } from '../dashboards/recording-rules.ts';
import { exprOf } from '../dashboards/rule.ts';
import { readDashboard, sentQueries } from '../test/support/grafana-dashboard.ts';
import { type MetricsServer, serversMissing } from '../test/support/metrics-server.ts';
import { flush, startVictoriaMetrics } from '../test/support/metrics-servers.ts';
import { withCleanUp } from './support/clean-up.ts';
import { printTable, round } from './support/figures.ts';
import { asSession, type PlayedSession, playSession } from './support/live-fleet.ts';

const sessions = Number(process.env['SESSIONS'] ?? 1000);
const minutes = Number(process.env['MINUTES'] ?? 5);
const intervalMs = 1000 * Number(process.env['INTERVAL_S'] ?? 15);
// So many are made; the others are the same under other ids.
const kinds = Math.min(sessions, 12);
const senders = 4;
const MiB = 2 ** 20;
const dayMs = 86_400_000;

if (serversMissing('victoria-metrics')) process.exit(1);
await withCleanUp(async (cleanUp) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'headroom-bench-'));
  cleanUp.add(() => fs.rmSync(folder, { recursive: true, force: true }));
  const endUnixMs = Math.floor(Date.now() / 60_000) * 60_000;
  const startUnixMs = endUnixMs - minutes * 60_000;
  const play = { startUnixMs, minutes, intervalMs, folder };
  const played: PlayedSession[] = [];
  for (let kind = 0; kind < kinds; kind++) played.push(await playSession(kind, play));

  await using receiver = await startVictoriaMetrics();
  const before = await figures(receiver);
  const startMs = performance.now();
  await sendAll(played, receiver);
  const seconds = (performance.now() - startMs) / 1000;
  await flush(receiver);
  const after = await figures(receiver);
  const points = after.points - before.points;
  const perSession = (value: number, unit: string) => [
    `${round(value)} ${unit}`,
    `${round((value / sessions) * (unit === 'MiB' ? 1024 : 1))} ${unit === 'MiB' ? 'KiB' : unit}`,
  ];
  printTable(
    `${sessions} sessions of ${minutes} min at ${intervalMs / 1000} s in VictoriaMetrics, at a load of ${round(os.loadavg()[0] ?? 0)} on ${os.cpus().length} CPUs`,
    [
      ['', 'all', 'a session'],
      ['points', ...perSession(points, '')],
      ['series', ...perSession(after.series, '')],
      ['memory (RSS)', ...perSession(after.rssBytes / MiB, 'MiB')],
      ['anonymous memory', ...perSession(after.anonBytes / MiB, 'MiB')],
      ['on disk', ...perSession(after.diskBytes / MiB, 'MiB')],
      ['points a second', round(points / seconds)],
      [
        'CPU of VictoriaMetrics',
        `${round(((after.cpuSeconds - before.cpuSeconds) / points) * 1e6)} µs a point`,
      ],
    ],
  );
  await timeQueries(receiver, endUnixMs);
  const afterQueries = await figures(receiver);
  process.stdout.write(`\nmemory after the queries: ${round(afterQueries.rssBytes / MiB)} MiB\n`);
});

/** All sessions side by side: the first request of each, then the second of each. */
async function sendAll(played: readonly PlayedSession[], receiver: MetricsServer): Promise<void> {
  const rounds = Math.max(...played.map(({ bodies }) => bodies.length));
  const work = requests(played, rounds);
  const send = async () => {
    for (const body of work) {
      const response = await fetch(`${receiver.url}/opentelemetry/v1/metrics`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-protobuf' },
        body: new Uint8Array(body),
      });
      if (!response.ok) throw new Error(`status ${response.status}: ${await response.text()}`);
      await response.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: senders }, send));
}

function* requests(played: readonly PlayedSession[], rounds: number): Generator<Buffer> {
  for (let at = 0; at < rounds; at++) {
    for (let number = 0; number < sessions; number++) {
      const kind = number % kinds;
      const body = played[kind]?.bodies[at];
      if (body !== undefined) yield asSession(body, kind, number);
    }
  }
}

async function figures(server: MetricsServer) {
  const text = await server.text('/metrics');
  const sum = (name: string) =>
    text
      .split('\n')
      .filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`))
      .reduce((total, line) => total + Number(line.slice(line.lastIndexOf(' '))), 0);
  return {
    points: sum('vm_rows_inserted_total'),
    series: sum('vm_new_timeseries_created_total'),
    rssBytes: sum('process_resident_memory_bytes'),
    anonBytes: sum('process_resident_memory_anon_bytes'),
    cpuSeconds: sum('process_cpu_seconds_total'),
    diskBytes: sum('vm_data_size_bytes'),
  };
}

async function timeQueries(server: MetricsServer, endUnixMs: number): Promise<void> {
  const viewer = { fromUnixMs: endUnixMs - dayMs, toUnixMs: endUnixMs, variables: {} };
  const ofDashboard = sentQueries(readDashboard('fleet-sizing'), {
    ...viewer,
    variables: { datasource: 'any' },
  });
  const ofRules = [...recordingGroups, ...alertGroups].flatMap(({ rules }) =>
    rules.map((rule) => ({
      ...('record' in rule
        ? { name: rule.record, expr: rule.expr }
        : { name: rule.alert, expr: exprOf(rule) }),
      stepSeconds: null,
    })),
  );
  for (const [title, queries] of [
    ['queries of the fleet dashboard, over 24 h', ofDashboard],
    ['rules', ofRules],
  ] as const) {
    const rows: [string, string, string, string][] = [];
    let [total, totalCpu] = [0, 0];
    for (const { name, expr, stepSeconds } of queries) {
      const cpuBefore = (await figures(server)).cpuSeconds;
      const startMs = performance.now();
      const answer = await (stepSeconds === null
        ? server.query(expr, endUnixMs)
        : server.queryRange(expr, { ...viewer, stepSeconds })
      ).catch(refused);
      const seconds = (performance.now() - startMs) / 1000;
      const cpu = (await figures(server)).cpuSeconds - cpuBefore;
      total += seconds;
      totalCpu += cpu;
      rows.push([name, `${round(seconds)} s`, `${round(cpu)} s`, String(answer.length)]);
    }
    const head = ['', 'time', 'CPU', 'series'];
    printTable(`${title}: ${round(total)} s, ${round(totalCpu)} s of CPU`, [head, ...rows]);
  }
}

/** After its time is over VictoriaMetrics gives up: no series, and a bench that failed. */
function refused(error: Error): [] {
  process.stdout.write(`${error.message.slice(-300)}\n`);
  process.exitCode = 1;
  return [];
}
