import fs from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/store/driver.ts';
import { duckdb } from '../support/duckdb.ts';
import { runCli, temporaryFolder } from '../support/headroom-cli.ts';
import { decodeJsonRequest } from '../support/otlp-wire.ts';
import { decodeTrace } from '../support/perfetto-wire.ts';
import { startTestBrowser } from '../support/test-browser.ts';

// A few seconds of a real Chromium, in every format. What must come out is asked of the recording
// itself, by its views in SQL.
const folder = temporaryFolder();
const recording = folder.file('chromium.db');
let browserPid = 0;

beforeAll(async () => {
  const chromium = await startTestBrowser();
  try {
    browserPid = chromium.browser.pid;
    const result = await runCli(
      ...['record', '--pid', String(browserPid), '--for', '4s', '--interval', '500ms'],
      ...['--label', 'workload=e2e', '--out', recording],
    );
    expect(result).toMatchObject({ exitCode: 0 });
  } finally {
    await chromium.close();
  }
});
afterAll(() => folder[Symbol.dispose]());

/** The one row of a query on the recording. */
function recorded<T extends object>(sql: string): T {
  const db = openDatabase(recording, { mode: 'read', busyTimeoutMs: 0 });
  try {
    const row = db.prepare<[], T>(sql).get();
    if (row === undefined) throw new Error(`no row: ${sql}`);
    return row;
  } finally {
    db.close();
  }
}

async function exported(format: string, name: string, ...more: string[]): Promise<string> {
  const out = folder.file(name);
  const result = await runCli('export', recording, '--to', format, '--out', out, ...more);
  expect(result).toMatchObject({ exitCode: 0, stdout: '' });
  return out;
}

const samplesSql = `SELECT count(*) AS n, max(working_set_bytes) AS largest,
  max(browser_process_count) AS processes FROM session_sample`;

describe('a real Chromium', () => {
  test('csv: its samples in a table', async () => {
    const file = await exported('csv', 'samples.csv');
    const rows = await duckdb(
      `SELECT count(*)::DOUBLE AS n, max(working_set_bytes)::DOUBLE AS largest,
         max(browser_process_count)::DOUBLE AS processes FROM '${file}' WHERE workload = 'e2e'`,
    );
    expect(rows).toEqual([recorded(samplesSql)]);
  });

  test('parquet: its processes, joined with what they held', async () => {
    const out = await exported('parquet', 'fleet');
    const [row] = await duckdb(
      `SELECT max(sample.rss_bytes)::DOUBLE AS rss, any_value(process.command) AS command
       FROM read_parquet('${out}/process_samples/**/*.parquet', hive_partitioning = true) AS sample
       JOIN read_parquet('${out}/processes/**/*.parquet', hive_partitioning = true) AS process
         USING (session_id, workload, process)
       WHERE process.pid = ${browserPid} AND workload = 'e2e' AND process.role = 'browser'`,
    );
    const expected = recorded<{ rss: number }>(
      `SELECT max(rss_bytes) AS rss FROM sample WHERE pid = ${browserPid}`,
    );
    expect(row?.['rss']).toBe(expected.rss);
    expect(row?.['command']).toContain('--headless');
    const again = await runCli('export', recording, '--to', 'parquet', '--out', out);
    expect(again).toMatchObject({ exitCode: 0 });
    expect(again.stderr).toContain('9 were there already');
  });

  test('ndjson and otlp-json: every line is JSON', async () => {
    const lines = fs
      .readFileSync(await exported('ndjson', 'all.ndjson'), 'utf8')
      .trim()
      .split('\n');
    const ticks = lines.map((line) => JSON.parse(line)).filter(({ type }) => type === 'tick');
    expect(ticks).toHaveLength(recorded<{ n: number }>(samplesSql).n);
    const requests = fs
      .readFileSync(await exported('otlp-json', 'all.jsonl'), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('{"resourceMetrics"'));
    const points = requests.flatMap((line) => decodeJsonRequest(Buffer.from(line)).points);
    const used = points.filter(({ metric }) => metric === 'headroom.memory.working_set');
    expect(used.map(({ value }) => Number(value)).reduce((a, b) => Math.max(a, b))).toBe(
      recorded<{ largest: number }>(samplesSql).largest,
    );
  });

  test('perfetto: every process of the browser has its own counters, at its own times', async () => {
    const trace = decodeTrace(fs.readFileSync(await exported('perfetto', 'chromium.pftrace')));
    const tracks = [...trace.tracks.values()];
    const browser = tracks.find(({ pid }) => pid === browserPid);
    expect(browser?.name).toBe('browser');
    const renderers = recorded<{ n: number }>(
      `SELECT count(*) AS n FROM process WHERE role = 'renderer' AND browser_pid = ${browserPid}`,
    );
    expect(renderers.n).toBeGreaterThan(1);
    expect(tracks.filter(({ name, pid }) => name === 'renderer' && pid !== null)).toHaveLength(
      renderers.n,
    );
    const rss = tracks.find(({ name, parent }) => name === 'RSS' && parent === browser?.uuid);
    const values = trace.events.filter(({ track }) => track === rss?.uuid);
    const stored = recorded<{ n: number; first: number; rss: number }>(
      `SELECT count(*) AS n, min(time_unix_ms) AS first, max(rss_bytes) AS rss
       FROM process_sample JOIN process USING (process)
       JOIN tick ON tick.sequence = process_sample.sequence WHERE pid = ${browserPid}`,
    );
    expect(values).toHaveLength(stored.n);
    expect(values[0]?.timestamp).toBe(BigInt(stored.first) * 1_000_000n);
    expect(Math.max(...values.map(({ value }) => value ?? 0))).toBe(stored.rss);
  });

  test('a damaged file among them is named, and the others are exported', async () => {
    const damaged = folder.file('damaged.db');
    fs.writeFileSync(damaged, 'not a database');
    for (const [format, out] of [
      ['csv', 'two.csv'],
      ['parquet', 'two'],
      ['otlp-json', 'two.jsonl'],
      ['perfetto', 'two/traces/'],
    ] as const) {
      const args = ['--to', format, '--out', folder.file(out)];
      const result = await runCli('export', damaged, recording, ...args);
      expect(result).toMatchObject({ exitCode: 1, stdout: '' });
      expect(result.stderr).toContain('damaged.db: not a database [FILE_NOT_A_DATABASE]');
    }
    expect(fs.readdirSync(folder.file('two/traces'))).toEqual(['chromium.pftrace']);
    expect(fs.statSync(folder.file('two.csv')).size).toBeGreaterThan(1000);
  });
});
