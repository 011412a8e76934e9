import type { SessionFacts } from '../../../model/session.ts';

// What stands for null in the name of a partition (Apache Hive).
const nullPartition = '__HIVE_DEFAULT_PARTITION__';

/**
 * Where a table of a session is in a data set: `samples/date=2026-11-29/workload=checkout/ID.parquet`,
 * the layout of Hive, which DuckDB, Spark, ClickHouse and Athena take for columns. The date is the
 * day (UTC) on which the session began, the workload its label of that name.
 */
export function partitionPath(table: string, facts: SessionFacts): string {
  const date = new Date(facts.startedUnixMs).toISOString().slice(0, 10);
  const workload = facts.labels['workload'] ?? '';
  return [
    table,
    `date=${date}`,
    `workload=${workload === '' ? nullPartition : escapePartition(workload)}`,
    `${facts.id.replace(/[^\w-]/g, '_')}.parquet`,
  ].join('/');
}

/** As Hive and Spark escape a value in a path, and all of them undo it. */
function escapePartition(value: string): string {
  return value.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is escaped
    /[\u0000-\u001f"#%'*/:=?\\\u007f{}[\]^]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}
