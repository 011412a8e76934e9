import { afterAll, beforeAll, expect, test } from 'vitest';
import { analyse } from '../../../src/analysis/session-report.ts';
import { openRecording } from '../../../src/store/reader.ts';
import { documentedSql } from '../../support/documented-sql.ts';
import { duckdb } from '../../support/duckdb.ts';
import { exportFleet } from '../../support/export-fleet.ts';
import { temporaryFolder } from '../../support/headroom-cli.ts';
import { inOrder, knownAnswers } from '../../support/known-answers.ts';
import { recordKnownFleet } from '../../support/known-fleet.ts';

// docs/sql.md on DuckDB; the same on ClickHouse is in test/clickhouse.

const folder = temporaryFolder();
const sql = documentedSql();

const home = process.cwd();

beforeAll(() => {
  exportFleet(recordKnownFleet(folder), folder.file('fleet'));
  // The paths in the statements are relative.
  process.chdir(folder.path);
});
afterAll(() => {
  process.chdir(home);
  folder[Symbol.dispose]();
});

const ask = async (...statements: string[]) =>
  inOrder(await duckdb([...sql.views('DuckDB'), ...statements].join(';\n')));

test('every statement has an answer here', () => {
  expect(sql.headings).toEqual(Object.keys(knownAnswers));
});

test.each(Object.entries(knownAnswers))('%s', async (heading, answer) => {
  expect(await ask(sql.statement(heading))).toEqual(answer);
});

test('percentiles are those of the report, within the error of both', async () => {
  using recording = openRecording(folder.file('search-1.db'));
  const report = analyse(recording).memory.workingSetBytes;
  const rows = await ask(sql.statement('Percentiles of each workload'));
  const search = rows.find((row) => Reflect.get(row, 'workload') === 'search') ?? {};
  for (const name of ['p50', 'p95', 'p99'] as const) {
    const found = Reflect.get(search, `${name}_mib`) * 2 ** 20;
    expect(Math.abs(found / (report[name] ?? 0) - 1)).toBeLessThan(0.022);
  }
});

test('one file of each day and workload has the same rows', async () => {
  const files = "read_parquet('sketches-by-day/**/*.parquet', hive_partitioning = true)";
  const rows = 'SELECT workload, count(*) AS n, sum(len(bucket_ms)) AS buckets FROM';
  const before = await ask(`${rows} sketches GROUP BY workload ORDER BY workload`);
  const after = await ask(sql.compaction, `${rows} ${files} GROUP BY workload ORDER BY workload`);
  expect(after).toEqual(before);
  expect(before).toHaveLength(3);
});
