import { afterAll, beforeAll, expect, test } from 'vitest';
import { clickhouse } from '../support/clickhouse.ts';
import { documentedSql } from '../support/documented-sql.ts';
import { exportFleet } from '../support/export-fleet.ts';
import { temporaryFolder } from '../support/headroom-cli.ts';
import { inOrder, knownAnswers } from '../support/known-answers.ts';
import { recordKnownFleet } from '../support/known-fleet.ts';

// docs/sql.md on ClickHouse; the same on DuckDB is in test/exporter/file/sql.test.ts.

const folder = temporaryFolder();
const sql = documentedSql();

beforeAll(() => exportFleet(recordKnownFleet(folder), folder.file('fleet')));
afterAll(() => folder[Symbol.dispose]());

test('is the engine that the document names', () => {
  expect(clickhouse(folder.path, ['SELECT version() AS version'])).toEqual([
    { version: expect.stringMatching(/^26\.7\./) },
  ]);
});

test.each(Object.entries(knownAnswers))('%s', (heading, answer) => {
  const statements = [...sql.views('ClickHouse'), sql.statement(heading)];
  expect(inOrder(clickhouse(folder.path, statements))).toEqual(answer);
});
