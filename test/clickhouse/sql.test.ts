import { afterAll, beforeAll, expect, test } from 'vitest';
import { clickhouse } from '../support/clickhouse.ts';
import { documentedSql } from '../support/documented-sql.ts';
import { exportFleet } from '../support/export-fleet.ts';
import { temporaryFolder } from '../support/headroom-cli.ts';
import { inOrder, knownAnswers } from '../support/known-answers.ts';
import { recordKnownFleet } from '../support/known-fleet.ts';
import { type ObjectStore, startObjectStore } from '../support/object-store.ts';

// docs/sql.md on ClickHouse; the same on DuckDB is in test/exporter/file/sql.test.ts.

const folder = temporaryFolder();
const sql = documentedSql();
let store: ObjectStore;

beforeAll(async () => {
  exportFleet(recordKnownFleet(folder), folder.file('fleet'));
  store = await startObjectStore(folder.file('objects'));
  await store.upload(folder.file('fleet'));
});
afterAll(async () => {
  await store[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

/** The statement as the document says that it is to be changed. */
function inStore(statement: string): string {
  return statement
    .replace(/file\('(.*?)', Parquet\)/, `s3('${store.url}/$1', ${store.credentials}, 'Parquet')`)
    .replace('https://bucket.s3.amazonaws.com', store.url)
    .replace("'KEY', 'SECRET'", store.credentials);
}

const ask = (...statements: string[]) => clickhouse(folder.path, statements);

test('is the engine that the document names', () => {
  expect(ask('SELECT version() AS version')).toEqual([
    { version: expect.stringMatching(/^26\.7\./) },
  ]);
});

test.each(Object.entries(knownAnswers))('%s', (heading, answer) => {
  expect(inOrder(ask(...sql.views('ClickHouse'), sql.statement(heading)))).toEqual(answer);
});

test.each(Object.entries(knownAnswers))('%s, in an object store', (heading, answer) => {
  const views = sql.views('ClickHouse').map(inStore);
  expect(views.join()).not.toContain('file(');
  expect(inOrder(ask(...views, sql.statement(heading)))).toEqual(answer);
});

test('one object of each day and workload has the same rows', () => {
  const rows =
    'SELECT workload, count() AS n, sum(length(bucket_ms)) AS buckets FROM sketches GROUP BY workload ORDER BY workload';
  const views = sql.views('ClickHouse').map(inStore);
  const before = inOrder(ask(...views, rows));
  ask(...views, inStore(sql.compaction.ClickHouse));
  const read = views.map((view) => view.replace('/fleet/sketches/', '/sketches-by-day/'));
  expect(read.join()).toContain(`${store.url}/sketches-by-day/`);
  expect(inOrder(ask(...read, rows))).toEqual(before);
  expect(before).toHaveLength(3);
});
