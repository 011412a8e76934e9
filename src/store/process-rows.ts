import { HeadroomError } from '../model/errors.ts';
import type { ProcessSample } from '../model/recording.ts';
import type { Database } from './driver.ts';
import { checkShape, type RowShape } from './row-shape.ts';
import { processesPerTick } from './schema.ts';
import type { SequenceRange } from './tick-rows.ts';

const pageSize = 1000;

/** A row of `process_sample` with its position. */
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

const selectRow = `
  SELECT
    process_sample.sequence, process_sample.process, tick.time_unix_ms AS timeUnixMs,
    rss_bytes AS rssBytes, anon_bytes AS anonBytes, shmem_bytes AS shmemBytes,
    swap_bytes AS swapBytes, pss_bytes AS pssBytes, pss_anon_bytes AS pssAnonBytes,
    pss_shmem_bytes AS pssShmemBytes, cpu_ms AS cpuMs, thread_count AS threadCount,
    major_fault_count AS majorFaultCount, state
  FROM process_sample
  JOIN tick ON tick.sequence = process_sample.sequence`;

/** The stored rows of a range, by sequence, then by process; in pages, as ticks are. */
export function* readProcessRows(
  db: Database,
  range: SequenceRange,
  process: number | null,
): IterableIterator<ProcessRow> {
  const page = db.prepare<[number, number, number | null, number | null], ProcessRow>(
    `${selectRow}
     WHERE key BETWEEN ? AND ? AND (? IS NULL OR process = ?)
     ORDER BY key LIMIT ${pageSize}`,
  );
  let first = range.first * processesPerTick;
  const last = (range.last + 1) * processesPerTick - 1;
  for (;;) {
    const rows = page.all(first, last, process, process);
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
