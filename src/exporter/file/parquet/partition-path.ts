import { createHash } from 'node:crypto';
import type { SessionFacts } from '../../../model/session.ts';

// What stands for null in the name of a partition (Apache Hive).
const nullPartition = '__HIVE_DEFAULT_PARTITION__';
// Of a part of a path, on Linux and macOS.
const mostBytes = 255;
const digestLength = 16;

/**
 * Where a table of a session is in a data set: `samples/date=2026-11-29/workload=checkout/ID.parquet`,
 * the layout of Hive, which DuckDB, Spark, ClickHouse and Athena take for columns. The date is the
 * day (UTC) on which the session began, the workload its label of that name. What cannot be the
 * name of a file as it is has a digest of the whole behind it, so that two stay different.
 */
export function partitionPath(table: string, facts: SessionFacts): string {
  const date = new Date(facts.startedUnixMs).toISOString().slice(0, 10);
  const workload = facts.labels['workload'] ?? '';
  return [
    table,
    `date=${date}`,
    workload === '' ? `workload=${nullPartition}` : workloadPart(workload),
    sessionPart(facts.id),
  ].join('/');
}

function workloadPart(workload: string): string {
  const whole = `workload=${escapePartition(workload)}`;
  if (Buffer.byteLength(whole) <= mostBytes) return whole;
  return cut('workload=', [...workload].map(escapePartition), `-${digestOf(workload)}`);
}

function sessionPart(id: string): string {
  const name = id.replace(/[^\w-]/g, '_');
  const whole = `${name}.parquet`;
  if (name === id && whole.length <= mostBytes) return whole;
  return cut('', [...name], `-${digestOf(id)}.parquet`);
}

/** As many of the characters as there is room for, none of them in halves. */
function cut(before: string, characters: readonly string[], behind: string): string {
  let kept = before;
  for (const character of characters) {
    if (Buffer.byteLength(kept + character + behind) > mostBytes) break;
    kept += character;
  }
  return kept + behind;
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, digestLength);
}

/** As Hive and Spark escape a value in a path, and all of them undo it. */
function escapePartition(value: string): string {
  return value.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is escaped
    /[\u0000-\u001f"#%'*/:=?\\\u007f{}[\]^]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}
