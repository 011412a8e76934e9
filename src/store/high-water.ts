import { HeadroomError } from '../model/errors.ts';
import { larger, smaller } from '../model/known-extremes.ts';
import type { HighWater } from '../model/recording.ts';
import type { Database } from './driver.ts';
import { memoryStartSql, memoryStartUnixMs } from './memory-start.ts';
import { checkShape, type RowShape } from './row-shape.ts';

/**
 * Out of the rollups and a few columns: one statement for nearly all of it, as to prepare one takes
 * longer than to run it. Ticks are read one by one only where there is something to find.
 */
export function readHighWater(db: Database): HighWater {
  const first = readGlance(db);
  const { sinceSequence } = first;
  const sinceUnixMs = sinceSequence === null ? null : memoryStartUnixMs(db, sinceSequence);
  const glance =
    sinceSequence === null || sinceUnixMs === null
      ? withLoose(db, first)
      : { ...first, ...readFiguresSince(db, sinceSequence, sinceUnixMs) };
  const since = sinceSequence ?? 0;
  const { machineTotalBytes, cgroupLimitBytes, cgroupVersion } = glance;
  const isCgroup =
    cgroupVersion !== null &&
    cgroupLimitBytes !== null &&
    machineTotalBytes !== null &&
    cgroupLimitBytes < machineTotalBytes;
  const hasMoved = (glance.lastMarkKib ?? 0) > (glance.firstMarkKib ?? Number.POSITIVE_INFINITY);
  return {
    workingSetBytes: glance.workingSetBytes,
    availableBytes: glance.availableBytes,
    kernelMark: isCgroup && hasMoved ? kernelMark(db, cgroupVersion, since) : null,
    swapUsedBytes: swapUsed(db, glance.swapTotalBytes, { isCgroup, since }),
    limitBytes: isCgroup ? cgroupLimitBytes : machineTotalBytes,
    limitSource: isCgroup ? (cgroupVersion === 1 ? 'cgroup_v1' : 'cgroup_v2') : 'machine',
    sinceUnixMs,
    hasMemoryEvent: glance.memoryEventCount > 0,
  };
}

interface Glance {
  workingSetBytes: number | null;
  availableBytes: number | null;
  machineTotalBytes: number | null;
  cgroupVersion: number | null;
  cgroupLimitBytes: number | null;
  swapTotalBytes: number | null;
  firstMarkKib: number | null;
  lastMarkKib: number | null;
  memoryEventCount: number;
  /** Null: figures of memory are from the first tick on. */
  sinceSequence: number | null;
  /** 1: the last ticks are not yet in a rollup, as while it is recorded. */
  hasLoose: number;
}

const glanceShape: RowShape<Glance> = {
  workingSetBytes: 'number?',
  availableBytes: 'number?',
  machineTotalBytes: 'number?',
  cgroupVersion: 'number?',
  cgroupLimitBytes: 'number?',
  swapTotalBytes: 'number?',
  firstMarkKib: 'number?',
  lastMarkKib: 'number?',
  memoryEventCount: 'number',
  sinceSequence: 'number?',
  hasLoose: 'number',
};

const seriesOf = (metric: string) =>
  `(SELECT series FROM series WHERE scope = 'session' AND metric = '${metric}')`;

const selectGlance = `
  SELECT
    (SELECT max(max) FROM rollup WHERE series = ${seriesOf('working_set')}) AS workingSetBytes,
    (SELECT min(min) FROM rollup WHERE series = ${seriesOf('available')}) AS availableBytes,
    setting.machine_total_bytes AS machineTotalBytes,
    setting.cgroup_version AS cgroupVersion,
    setting.cgroup_limit_bytes AS cgroupLimitBytes,
    (SELECT max(machine_swap_total_bytes) FROM tick_setting) AS swapTotalBytes,
    (SELECT cgroup_peak_kib FROM tick WHERE sequence >= coalesce(sinceSequence, 0)
      ORDER BY sequence LIMIT 1) AS firstMarkKib,
    (SELECT cgroup_peak_kib FROM tick ORDER BY sequence DESC LIMIT 1) AS lastMarkKib,
    (SELECT count(*) FROM event
      WHERE kind = 'oom_counter'
        OR (kind = 'oom_kill' AND NOT json_extract(detail, '$.beforeStart'))
        OR (kind = 'note' AND json_extract(detail, '$.code') = 'userspace_oom')
    ) AS memoryEventCount,
    sinceSequence,
    EXISTS (SELECT 1 FROM tick
      WHERE sequence > (SELECT rolled_up_sequence FROM session)) AS hasLoose
  FROM (SELECT max(sequence) AS latest, ${memoryStartSql} AS sinceSequence FROM tick_setting)
  LEFT JOIN tick_setting AS setting ON setting.sequence = latest`;

function readGlance(db: Database): Glance {
  const row = db.prepare<[], Glance>(selectGlance).get();
  if (row === undefined) throw new HeadroomError('FILE_CORRUPT', 'the settings cannot be read');
  return checkShape(row, glanceShape, 'the recording');
}

type Figures = Pick<Glance, 'workingSetBytes' | 'availableBytes'>;

const figuresShape: RowShape<Figures> = { workingSetBytes: 'number?', availableBytes: 'number?' };

// In the view they are by the same definition; to prepare it takes longer than all the rest.
const selectLoose = `
  SELECT max(working_set_bytes) AS workingSetBytes, min(available_bytes) AS availableBytes
  FROM session_sample WHERE sequence > (SELECT rolled_up_sequence FROM session)`;

function withLoose(db: Database, glance: Glance): Glance {
  if (glance.hasLoose === 0) return glance;
  const row = db.prepare<[], Figures>(selectLoose).get();
  if (row === undefined) return glance;
  const loose = checkShape(row, figuresShape, 'the recording');
  return {
    ...glance,
    workingSetBytes: larger(glance.workingSetBytes, loose.workingSetBytes),
    availableBytes: smaller(glance.availableBytes, loose.availableBytes),
  };
}

// Of what was thinned the windows that begin later, and the ticks that are left.
const selectSince = `
  SELECT max(workingSetBytes) AS workingSetBytes, min(availableBytes) AS availableBytes
  FROM (
    SELECT max(working_set_bytes) AS workingSetBytes, min(available_bytes) AS availableBytes
    FROM session_sample WHERE sequence >= ?
    UNION ALL SELECT max(max), NULL FROM rollup
      WHERE series = ${seriesOf('working_set')} AND start_unix_ms >= ?
    UNION ALL SELECT NULL, min(min) FROM rollup
      WHERE series = ${seriesOf('available')} AND start_unix_ms >= ?
  )`;

function readFiguresSince(db: Database, sequence: number, unixMs: number): Figures {
  const select = db.prepare<[number, number, number], Figures>(selectSince);
  const row = select.get(sequence, unixMs, unixMs);
  return checkShape(
    row ?? { workingSetBytes: null, availableBytes: null },
    figuresShape,
    'the recording',
  );
}

/**
 * The kernel marks the largest charge, in which file cache is that it would have dropped. When the
 * mark moved, so much of it was cache as the tick before or the tick behind had: the less of the two.
 */
function kernelMark(db: Database, version: number, since: number): HighWater['kernelMark'] {
  const bytes = number(
    db,
    `SELECT 1024 * max(mark - min(cache, cache_before)) FROM (
       SELECT cgroup_peak_kib AS mark, lag(cgroup_peak_kib) OVER time AS mark_before,
         cgroup_inactive_file_kib AS cache, lag(cgroup_inactive_file_kib) OVER time AS cache_before
       FROM tick WHERE sequence >= ? WINDOW time AS (ORDER BY sequence)
     ) WHERE mark > mark_before`,
    since,
  );
  if (bytes === null) return null;
  return { workingSetBytes: bytes, source: version === 1 ? 'max_usage_in_bytes' : 'memory.peak' };
}

function swapUsed(
  db: Database,
  total: number | null,
  { isCgroup, since }: { isCgroup: boolean; since: number },
): number | null {
  if (total === null || total === 0) return total;
  const ticks = 'FROM tick WHERE sequence >= ?';
  return isCgroup
    ? number(db, `SELECT 1024 * max(cgroup_swap_kib) ${ticks}`, since)
    : number(db, `SELECT ? - 1024 * min(machine_swap_free_kib) ${ticks}`, total, since);
}

function number(db: Database, sql: string, ...parameters: number[]): number | null {
  const value = db
    .prepare(sql)
    .pluck()
    .get(...parameters);
  return typeof value === 'number' ? value : null;
}
