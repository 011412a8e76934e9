import type { ProcessReading } from '../model/sample.ts';
import { kibOf, memoryColumnSql, type SqlValue } from './tick-columns.ts';

/**
 * Key of a row of a process: sequence × this + process. A table that grows at its end by its row
 * number fills its pages; with the two as a key of their own it is an eighth larger.
 */
export const processesPerTick = 2 ** 20;

// The kernel counts the memory of a process in pages, and no page is smaller.
const blockBytes = 4096;
const cpuUnitMs = 10;

/**
 * The columns of both tables. In a browser RSS changes by what anonymous memory does: of the three
 * parts, each in blocks of 4 KiB, most fit into two bytes where RSS itself needs three.
 */
export const processRowColumnsSql = `
  key INTEGER PRIMARY KEY,
  sequence INTEGER AS (key / ${processesPerTick}) VIRTUAL,
  process INTEGER AS (key % ${processesPerTick}) VIRTUAL,
  file_4kib INTEGER,
  anon_4kib INTEGER,
  shmem_4kib INTEGER,
  swap_4kib INTEGER,
  rss_bytes INTEGER
    AS ((file_4kib + coalesce(anon_4kib, 0) + coalesce(shmem_4kib, 0)) * ${blockBytes}) VIRTUAL,
  anon_bytes INTEGER AS (anon_4kib * ${blockBytes}) VIRTUAL,
  shmem_bytes INTEGER AS (shmem_4kib * ${blockBytes}) VIRTUAL,
  swap_bytes INTEGER AS (swap_4kib * ${blockBytes}) VIRTUAL,
  cpu_cs INTEGER NOT NULL,
  cpu_ms INTEGER AS (cpu_cs * ${cpuUnitMs}) VIRTUAL,
  thread_count INTEGER,
  major_fault_count INTEGER,
  state TEXT NOT NULL`;

/** What the rows have besides in which PSS was read. */
export const pssColumnsSql = ['pss_bytes', 'pss_anon_bytes', 'pss_shmem_bytes']
  .map(memoryColumnSql)
  .join(',\n  ');

/** Names to write, in the order of {@link processRowValues}. */
export const storedProcessRowNames = [
  'key',
  'file_4kib',
  'anon_4kib',
  'shmem_4kib',
  'swap_4kib',
  'cpu_cs',
  'thread_count',
  'major_fault_count',
  'state',
];
export const storedPssNames = ['pss_kib', 'pss_anon_kib', 'pss_shmem_kib'];

/** Everything of a reading that both tables have; of the table with PSS the first part. */
export function processRowValues(key: number, reading: ProcessReading): SqlValue[] {
  const anon = blocksOf(reading.anonBytes);
  const shmem = blocksOf(reading.shmemBytes);
  const rss = blocksOf(reading.rssBytes);
  return [
    key,
    rss === null ? null : rss - (anon ?? 0) - (shmem ?? 0),
    anon,
    shmem,
    blocksOf(reading.swapBytes),
    Math.round(reading.cpuMs / cpuUnitMs),
    reading.threadCount,
    reading.majorFaultCount,
    reading.state,
  ];
}

/** What the table with PSS has besides. */
export function pssValues(reading: ProcessReading): SqlValue[] {
  return [kibOf(reading.pssBytes), kibOf(reading.pssAnonBytes), kibOf(reading.pssShmemBytes)];
}

function blocksOf(bytes: number | null): number | null {
  return bytes === null ? null : Math.round(bytes / blockBytes);
}
