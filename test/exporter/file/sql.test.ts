import { afterAll, beforeAll, expect, test } from 'vitest';
import { fleetReport } from '../../../src/analysis/fleet/fleet-report.ts';
import { fleetSessionOf } from '../../../src/analysis/fleet/fleet-session.ts';
import { openRecording } from '../../../src/store/reader.ts';
import { documentedSql } from '../../support/documented-sql.ts';
import { duckdb } from '../../support/duckdb.ts';
import { exportFleet } from '../../support/export-fleet.ts';
import { temporaryFolder } from '../../support/headroom-cli.ts';
import { inOrder, knownAnswers } from '../../support/known-answers.ts';
import { knownSessions, recordKnownFleet } from '../../support/known-fleet.ts';

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

// Both are within 1.1 % of the exact value.
const twiceTheError = 0.022;

test('percentiles are those of `headroom fleet report`, within the error of both', async () => {
  const sessions = knownSessions.flatMap(({ id }) => {
    using recording = openRecording(folder.file(`${id}.db`));
    return fleetSessionOf(recording) ?? [];
  });
  const { groups } = fleetReport(sessions, { by: ['workload'] });
  const found = await ask(sql.statement('Percentiles of each workload'));
  const near = (bytes: number | null) =>
    expect.toSatisfy((mib) => Math.abs((mib * 2 ** 20) / (bytes ?? 0) - 1) < twiceTheError);
  expect(found).toMatchObject(
    groups.map(({ value, workingSetBytes: { p50, p95, p99 } }) => ({
      workload: value,
      p50_mib: near(p50),
      p95_mib: near(p95),
      p99_mib: near(p99),
    })),
  );
  expect(groups).toHaveLength(3);
});

test('one file of each day and workload has the same rows', async () => {
  const files = "read_parquet('sketches-by-day/**/*.parquet', hive_partitioning = true)";
  const rows = 'SELECT workload, count(*) AS n, sum(len(bucket_ms)) AS buckets FROM';
  const before = await ask(`${rows} sketches GROUP BY workload ORDER BY workload`);
  const after = await ask(
    sql.compaction.DuckDB,
    `${rows} ${files} GROUP BY workload ORDER BY workload`,
  );
  expect(after).toEqual(before);
  expect(before).toHaveLength(3);
});
