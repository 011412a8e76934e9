import { HeadroomError } from '../model/errors.ts';
import type { MemoryWait, RecordingGist } from '../model/recording.ts';
import { readDistribution } from './distribution.ts';
import type { Database } from './driver.ts';
import { readGaps } from './event-rows.ts';
import { readHighWater } from './high-water.ts';
import { checkShape, type RowShape } from './row-shape.ts';
import { hasHoursSql, type RollupState, readWholeDistributions } from './whole-distributions.ts';

/** Out of the rollups and a few columns: few statements, as to prepare one takes longer than to run it. */
export function readGist(db: Database): RecordingGist {
  const glance = readGlance(db);
  const highWater = readHighWater(db);
  const distributions = readDistributions(db, glance, highWater.sinceUnixMs);
  const gaps = glance.gapCount === 0 ? [] : readGaps(db);
  return {
    highWater,
    workingSetBytes: distributions.working_set,
    utilizationRatio: distributions.utilization,
    workingSetMinutes: distributions.minutes,
    lastUnixMs: glance.lastUnixMs,
    lastSequence: glance.lastSequence ?? 0,
    memoryWait: {
      fullMs: difference(glance.firstFullMs, glance.lastFullMs),
      someMs: difference(glance.firstSomeMs, glance.lastSomeMs),
      refaultCount: difference(glance.firstRefaultCount, glance.lastRefaultCount),
    },
    gaps,
    hasOddEvent:
      glance.oddEventCount + glance.oddEndCount > 0 ||
      (glance.zombieCount ?? 0) > 0 ||
      gaps.some(({ gap }) => gap === 'restart'),
  };
}

function readDistributions(db: Database, glance: Glance, fromUnixMs: number | null) {
  if (fromUnixMs === null) return readWholeDistributions(db, glance);
  const read = (metric: 'working_set' | 'utilization') =>
    readDistribution(db, { scope: 'session', metric }, { fromUnixMs });
  return { working_set: read('working_set'), utilization: read('utilization'), minutes: null };
}

interface Glance extends RollupState {
  firstFullMs: number | null;
  firstSomeMs: number | null;
  firstRefaultCount: number | null;
  lastSequence: number | null;
  lastUnixMs: number | null;
  lastFullMs: number | null;
  lastSomeMs: number | null;
  lastRefaultCount: number | null;
  zombieCount: number | null;
  oddEventCount: number;
  gapCount: number;
  oddEndCount: number;
}

const glanceShape: RowShape<Glance> = {
  rolledUpSequence: 'number',
  hasHours: 'number',
  firstFullMs: 'number?',
  firstSomeMs: 'number?',
  firstRefaultCount: 'number?',
  lastSequence: 'number?',
  lastUnixMs: 'number?',
  lastFullMs: 'number?',
  lastSomeMs: 'number?',
  lastRefaultCount: 'number?',
  zombieCount: 'number?',
  oddEventCount: 'number',
  gapCount: 'number',
  oddEndCount: 'number',
};

// Chromium ends the renderer of a closed tab by SIGTERM.
const ordinarySignals = "'SIGTERM', 'SIGINT', 'SIGHUP'";

// A note may be the browser's or the kernel's own word on why something ended.
const selectGlance = `
  SELECT
    rolled_up_sequence AS rolledUpSequence,
    ${hasHoursSql} AS hasHours,
    first.pressure_memory_full_ms AS firstFullMs,
    first.pressure_memory_some_ms AS firstSomeMs,
    first.activity_refault_file_count AS firstRefaultCount,
    last.sequence AS lastSequence,
    last.time_unix_ms AS lastUnixMs,
    last.pressure_memory_full_ms AS lastFullMs,
    last.pressure_memory_some_ms AS lastSomeMs,
    last.activity_refault_file_count AS lastRefaultCount,
    last.browser_zombie_count AS zombieCount,
    (SELECT count(*) FROM process
      WHERE ended_unix_ms IS NOT NULL AND browser_pid IS NOT NULL AND (
        exit_code >= 128
        OR (signal IS NOT NULL AND (pid = browser_pid OR signal NOT IN (${ordinarySignals})))
        OR (exit_code IS NULL AND signal IS NULL AND (pid = browser_pid OR role = 'browser')))
    ) AS oddEndCount,
    event.*
  FROM session
  LEFT JOIN tick AS first ON first.sequence = (SELECT min(sequence) FROM tick)
  LEFT JOIN tick AS last ON last.sequence = (SELECT max(sequence) FROM tick)
  JOIN (
    SELECT
      count(*) FILTER (WHERE kind IN ('limit_change', 'target_crash')
        OR (kind = 'vm' AND json_extract(detail, '$.state') = 'lost')
        OR (kind = 'note' AND json_extract(detail, '$.code') IN ('browser_log', 'data_limit', 'cgroup_found', 'cgroup_moved'))
        OR (kind = 'process_exit' AND json_extract(detail, '$.source') = 'parent'
          AND json_extract(detail, '$.signal') IS NOT NULL)
      ) AS oddEventCount,
      count(*) FILTER (WHERE kind = 'gap') AS gapCount
    FROM event
  ) AS event`;

function readGlance(db: Database): Glance {
  const row = db.prepare<[], Glance>(selectGlance).get();
  if (row === undefined)
    throw new HeadroomError('FILE_CORRUPT', 'the row of the session is missing');
  return checkShape(row, glanceShape, 'the recording');
}

/** See {@link Recording.worstMinutes}. */
export function readWorstMinutes(db: Database): MemoryWait {
  const row = db.prepare<[], MemoryWait>(selectWorstMinutes).get();
  return checkShape(
    row ?? { fullMs: null, someMs: null, refaultCount: null },
    waitShape,
    'the recording',
  );
}

const waitShape: RowShape<MemoryWait> = {
  fullMs: 'number?',
  someMs: 'number?',
  refaultCount: 'number?',
};

// From the first tick of a minute to the first one three minutes on, or to the last of all.
const selectWorstMinutes = `
  SELECT max(later_full - full) AS fullMs, max(later_some - some) AS someMs,
    max(later_refault - refault) AS refaultCount
  FROM (
    SELECT full, some, refault,
      last_value(full) OVER ahead AS later_full,
      last_value(some) OVER ahead AS later_some,
      last_value(refault) OVER ahead AS later_refault
    FROM (
      SELECT sequence, pressure_memory_full_ms AS full, pressure_memory_some_ms AS some,
        activity_refault_file_count AS refault
      FROM tick
      WHERE sequence IN (
        SELECT sequence FROM tick_minute UNION SELECT max(sequence) FROM tick)
    )
    WINDOW ahead AS (ORDER BY sequence ROWS BETWEEN CURRENT ROW AND 3 FOLLOWING)
  )`;

function difference(from: number | null, to: number | null): number | null {
  return from === null || to === null ? null : to - from;
}
