import type { HighWater } from '../model/recording.ts';
import type { Series } from '../model/series.ts';
import { readDistribution } from './distribution.ts';
import type { Database } from './driver.ts';
import { checkShape, type RowShape } from './row-shape.ts';

const workingSet: Series = { scope: 'session', metric: 'working_set' };
const available: Series = { scope: 'session', metric: 'available' };

/** Out of the rollups and a few columns; ticks are read one by one only where there is something to find. */
export function readHighWater(db: Database): HighWater {
  const setting = lastSetting(db);
  const isCgroup =
    setting.cgroupLimitBytes !== null &&
    setting.machineTotalBytes !== null &&
    setting.cgroupLimitBytes < setting.machineTotalBytes;
  const version = isCgroup ? setting.cgroupVersion : null;
  return {
    workingSetBytes: readDistribution(db, workingSet, {})?.max ?? null,
    availableBytes: readDistribution(db, available, {})?.min ?? null,
    kernelMark: version === null ? null : kernelMark(db, version),
    swapUsedBytes: swapUsed(db, { isCgroup }),
    limitBytes: isCgroup ? setting.cgroupLimitBytes : setting.machineTotalBytes,
    limitSource: version === null ? 'machine' : version === 1 ? 'cgroup_v1' : 'cgroup_v2',
    hasMemoryEvent: hasMemoryEvent(db),
  };
}

interface Setting {
  machineTotalBytes: number | null;
  cgroupVersion: number | null;
  cgroupLimitBytes: number | null;
}

const settingShape: RowShape<Setting> = {
  machineTotalBytes: 'number?',
  cgroupVersion: 'number?',
  cgroupLimitBytes: 'number?',
};

function lastSetting(db: Database): Setting {
  const row = db
    .prepare<[], Setting>(
      `SELECT machine_total_bytes AS machineTotalBytes, cgroup_version AS cgroupVersion,
         cgroup_limit_bytes AS cgroupLimitBytes
       FROM tick_setting ORDER BY sequence DESC LIMIT 1`,
    )
    .get();
  if (row === undefined) {
    return { machineTotalBytes: null, cgroupVersion: null, cgroupLimitBytes: null };
  }
  checkShape(row, settingShape, 'the settings of the ticks');
  return row;
}

/**
 * The kernel marks the largest charge, in which file cache is that it would have dropped. When the
 * mark moved, so much of it was cache as the tick before or the tick behind had: the less of the two.
 */
function kernelMark(db: Database, version: number): HighWater['kernelMark'] {
  const mark = (order: 'ASC' | 'DESC') =>
    `(SELECT cgroup_peak_kib FROM tick ORDER BY sequence ${order} LIMIT 1)`;
  if (number(db, `SELECT ${mark('ASC')} < ${mark('DESC')}`) !== 1) return null;
  const bytes = number(
    db,
    `SELECT 1024 * max(mark - min(cache, cache_before)) FROM (
       SELECT cgroup_peak_kib AS mark, lag(cgroup_peak_kib) OVER time AS mark_before,
         cgroup_inactive_file_kib AS cache, lag(cgroup_inactive_file_kib) OVER time AS cache_before
       FROM tick WINDOW time AS (ORDER BY sequence)
     ) WHERE mark > mark_before`,
  );
  if (bytes === null) return null;
  return { workingSetBytes: bytes, source: version === 1 ? 'max_usage_in_bytes' : 'memory.peak' };
}

function swapUsed(db: Database, { isCgroup }: { isCgroup: boolean }): number | null {
  const total = number(db, 'SELECT max(machine_swap_total_bytes) FROM tick_setting');
  if (total === null || total === 0) return total;
  return isCgroup
    ? number(db, 'SELECT 1024 * max(cgroup_swap_kib) FROM tick')
    : number(db, `SELECT ${total} - 1024 * min(machine_swap_free_kib) FROM tick`);
}

function hasMemoryEvent(db: Database): boolean {
  return (
    number(
      db,
      `SELECT 1 FROM event
       WHERE kind = 'oom_counter'
         OR (kind = 'oom_kill' AND NOT json_extract(detail, '$.beforeStart'))
         OR (kind = 'note' AND json_extract(detail, '$.code') = 'userspace_oom')
       LIMIT 1`,
    ) !== null
  );
}

function number(db: Database, sql: string): number | null {
  const value = db.prepare(sql).pluck().get();
  return typeof value === 'number' ? value : null;
}
