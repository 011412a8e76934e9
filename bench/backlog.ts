/**
 * A backlog into a real VictoriaMetrics: sessions of one hour with 60 processes each, all exported
 * by one `headroom export`, as a user runs it. The recordings are one synthetic hour with other
 * session ids. 100 sessions at 1 s by default, which is minutes; SESSIONS=1000 needs 2 GB of disk and
 * hours, with INTERVAL_S=10 a tenth of that.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { openDatabase } from '../src/store/driver.ts';
import { type MetricsServer, serversMissing } from '../test/support/metrics-server.ts';
import { flush, startVictoriaMetrics } from '../test/support/metrics-servers.ts';
import { syntheticFacts, syntheticStartUnixMs } from '../test/support/synthetic-session.ts';
import { type CleanUp, withCleanUp } from './support/clean-up.ts';
import { printFigures, printTable, round } from './support/figures.ts';
import { processUsage } from './support/process-usage.ts';
import { recordHours } from './support/record-hours.ts';

const sessions = Number(process.env['SESSIONS'] ?? 100);
const intervalSeconds = Number(process.env['INTERVAL_S'] ?? 1);
const tickCount = 3600 / intervalSeconds;
const budgetMib = 150;
const readEveryMs = 500;
const MiB = 2 ** 20;
const main = fileURLToPath(new URL('../dist/cli/headroom.cjs', import.meta.url));
const reporter = new URL('support/report-peak.mjs', import.meta.url).href;

if (serversMissing('victoria-metrics')) process.exit(1);
await withCleanUp(async (cleanUp) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'headroom-bench-'));
  cleanUp.add(() => fs.rmSync(folder, { recursive: true, force: true }));
  const files = recordFleet(folder);
  await using receiver = await startVictoriaMetrics();
  const startMs = performance.now();
  const { points, cpuMs, peakBytes, peakAnonBytes } = await exportAll(files, receiver, cleanUp);
  const seconds = (performance.now() - startMs) / 1000;
  await flush(receiver);
  const [found, ticks] = await arrived(receiver);

  printFigures(
    `${sessions} sessions of one hour at ${intervalSeconds} s into VictoriaMetrics: memory of the exporter`,
    [
      { name: 'peak RSS', unit: 'MiB', measured: peakBytes / MiB, budget: budgetMib },
      {
        name: 'peak anonymous memory',
        unit: 'MiB',
        measured: peakAnonBytes / MiB,
        budget: budgetMib,
      },
    ],
  );
  const thousand = 1000 / sessions;
  printTable(`speed, at a load of ${round(os.loadavg()[0] ?? 0)} on ${os.cpus().length} CPUs`, [
    ['', `${sessions} sessions`, sessions === 1000 ? '' : '1000, by the rule of three'],
    ['points', String(points), String(Math.round(points * thousand))],
    ['points a second', round(points / seconds), ''],
    ['CPU of the exporter a point', `${round((cpuMs * 1000) / points)} µs`, ''],
    ['CPU of the exporter', `${round(cpuMs / 1000)} s`, `${round((cpuMs * thousand) / 1000)} s`],
    ['time', `${round(seconds)} s`, `${round(seconds * thousand)} s`],
  ]);
  process.stdout.write(`VictoriaMetrics has ${found} sessions and ${ticks} ticks of them\n`);
  if (found !== sessions || ticks !== sessions * tickCount) process.exitCode = 1;
});

function recordFleet(folder: string): string[] {
  const original = path.join(folder, 'original.db');
  recordHours(original, 1, intervalSeconds * 1000);
  return Array.from({ length: sessions }, (_, index) => {
    const file = path.join(folder, `${index}.db`);
    fs.copyFileSync(original, file);
    const db = openDatabase(file, { mode: 'write', busyTimeoutMs: 0 });
    const id = `${syntheticFacts().id.slice(0, -6)}${String(index).padStart(6, '0')}`;
    db.prepare<[string]>('UPDATE session SET id = ?').run(id);
    db.close();
    return file;
  });
}

async function exportAll(files: readonly string[], receiver: MetricsServer, cleanUp: CleanUp) {
  const flags = ['--to', 'otlp', '--no-logs', '--json'];
  const env = { ...process.env, OTEL_EXPORTER_OTLP_ENDPOINT: `${receiver.url}/opentelemetry` };
  const child = spawn(
    process.execPath,
    ['--import', reporter, main, 'export', ...files, ...flags],
    { env, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  cleanUp.add(() => child.kill());
  const text = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (chunk) => (text.stdout += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk) => (text.stderr += chunk));
  const anonymous = watchAnonymous(child);
  const [exitCode] = await once(child, 'close');
  anonymous.stop();
  if (exitCode !== 0) throw new Error(`the export failed:\n${text.stderr.slice(-2000)}`);
  const results: { sent: number; rejected: number }[] = lines(text.stdout).map((line) =>
    JSON.parse(line),
  );
  const usage: { peakBytes: number; cpuMs: number } = JSON.parse(lines(text.stderr).at(-1) ?? '');
  const points = results.reduce((sum, { sent }) => sum + sent, 0);
  return { points, peakAnonBytes: anonymous.peakBytes(), ...usage };
}

function watchAnonymous(child: ChildProcess): { peakBytes(): number; stop(): void } {
  let peakBytes = 0;
  const timer = setInterval(() => {
    if (child.exitCode !== null || child.pid === undefined) return;
    peakBytes = Math.max(peakBytes, anonymousBytes(child.pid));
  }, readEveryMs);
  return { peakBytes: () => peakBytes, stop: () => clearInterval(timer) };
}

/** 0 when it has ended, which is told only after it is so. */
function anonymousBytes(pid: number): number {
  try {
    return processUsage(pid).anonBytes;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ESRCH' || code === 'ENOENT') return 0;
    throw error;
  }
}

/** How many sessions, and ticks of all of them, can be queried. */
async function arrived(receiver: MetricsServer): Promise<[number, number]> {
  const ticks = 'count_over_time(headroom_memory_working_set_bytes[2h])';
  const endUnixMs = syntheticStartUnixMs + 3_600_000;
  const count = async (query: string) => (await receiver.query(query, endUnixMs))[0]?.value ?? 0;
  return [await count(`count(count by (session_id) (${ticks}))`), await count(`sum(${ticks})`)];
}

function lines(text: string): string[] {
  return text.trimEnd().split('\n');
}
