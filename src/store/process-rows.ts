import { HeadroomError } from '../model/errors.ts';
import type { ProcessSample } from '../model/recording.ts';
import type { Database } from './driver.ts';
import { processesPerTick } from './process-row-columns.ts';
import { checkShape, type RowShape } from './row-shape.ts';
import type { SequenceRange } from './tick-rows.ts';

const pageSize = 1000;

/** A stored row of a process with its position. */
export interface ProcessRow extends ProcessSample {
  sequence: number;
}

const rowShape: RowShape<ProcessRow> = {
  sequence: 'number',
  process: 'number',
  timeUnixMs: 'number',
  rssBytes: 'number?',
  anonBytes: 'number?',
  shmemBytes: 'number?',
  swapBytes: 'number?',
  pssBytes: 'number?',
  pssAnonBytes: 'number?',
  pssShmemBytes: 'number?',
  cpuMs: 'number',
  threadCount: 'number?',
  majorFaultCount: 'number?',
  state: 'string',
};

const rowsWhere = (condition: string) =>
  ['process_row', 'process_pss_row']
    .map((table) => {
      const pss = ['pss_bytes', 'pss_anon_bytes', 'pss_shmem_bytes'].map((column) =>
        table === 'process_pss_row' ? `row.${column}` : `NULL AS ${column}`,
      );
      return `
    SELECT row.key, row.sequence, row.process, tick.time_unix_ms, rss_bytes, anon_bytes, shmem_bytes,
      swap_bytes, ${pss.join(', ')}, cpu_ms, thread_count, major_fault_count, state
    FROM ${table} AS row
    JOIN tick ON tick.sequence = row.sequence
    WHERE ${condition}`;
    })
    .join(' UNION ALL ');

const rowColumns = `
  SELECT sequence, process, time_unix_ms AS timeUnixMs, rss_bytes AS rssBytes,
    anon_bytes AS anonBytes, shmem_bytes AS shmemBytes, swap_bytes AS swapBytes,
    pss_bytes AS pssBytes, pss_anon_bytes AS pssAnonBytes, pss_shmem_bytes AS pssShmemBytes,
    cpu_ms AS cpuMs, thread_count AS threadCount, major_fault_count AS majorFaultCount, state`;

// Each of the two tables is read in the order of its keys, and only as far as the page goes.
const selectPage = `${rowColumns}
  FROM (${rowsWhere('key BETWEEN @first AND @last AND (@process IS NULL OR process = @process)')}
    ORDER BY key LIMIT ${pageSize})`;

const selectLast = `
  WITH last AS MATERIALIZED (
    SELECT max(key) AS key FROM (
      SELECT key, process FROM process_row UNION ALL SELECT key, process FROM process_pss_row)
    GROUP BY process)
  ${rowColumns} FROM (${rowsWhere('key IN (SELECT key FROM last)')}) ORDER BY process`;

/** The stored rows of a range, by sequence, then by process; in pages, as ticks are. */
export function* readProcessRows(
  db: Database,
  range: SequenceRange,
  process: number | null,
): IterableIterator<ProcessRow> {
  const page = db.prepare<PageBounds, ProcessRow>(selectPage);
  let first = range.first * processesPerTick;
  const last = (range.last + 1) * processesPerTick - 1;
  for (;;) {
    const rows = page.all({ first, last, process });
    for (const row of rows) yield checkShape(row, rowShape, 'a process sample');
    const final = rows.at(-1);
    if (final === undefined || rows.length < pageSize) return;
    const next = final.sequence * processesPerTick + final.process + 1;
    if (next <= first) {
      throw new HeadroomError('FILE_CORRUPT', 'the process samples are not in their order');
    }
    first = next;
  }
}

/** The last row of each process, by process. */
export function readLastProcessRows(db: Database): ProcessSample[] {
  return db
    .prepare<[], ProcessRow>(selectLast)
    .all()
    .map((row) => {
      const { sequence: _, ...sample } = checkShape(row, rowShape, 'a process sample');
      return sample;
    });
}

interface PageBounds {
  first: number;
  last: number;
  process: number | null;
}
