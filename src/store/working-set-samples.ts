import type { WorkingSetSample } from '../model/recording.ts';
import type { Database } from './driver.ts';

const places = 21;

// Each place is one look into the tree of ticks: by ORDER and LIMIT, as max() of a part of a table is
// none, and with CROSS JOIN, which keeps this order.
const selectSamples = `
  SELECT tick.time_unix_ms AS timeUnixMs,
    1024 * CASE WHEN is_cgroup
      THEN cgroup_charged_kib - cgroup_inactive_file_kib
      ELSE total_kib - machine_free_kib - machine_inactive_file_kib
    END AS bytes
  FROM (
    SELECT machine_total_bytes / 1024 AS total_kib,
      coalesce(cgroup_limit_bytes < machine_total_bytes, 0) AS is_cgroup,
      (SELECT min(sequence) FROM tick) AS first, (SELECT max(sequence) FROM tick) AS last
    FROM tick_setting ORDER BY sequence DESC LIMIT 1
  )
  CROSS JOIN (
    SELECT column1 AS at
    FROM (VALUES ${Array.from({ length: places }, (_, at) => `(${at})`).join(', ')})
  )
  CROSS JOIN tick ON tick.sequence = (
    SELECT sequence FROM tick WHERE sequence <= first + at * (last - first) / ${places - 1}
    ORDER BY sequence DESC LIMIT 1)`;

/** See {@link Recording.workingSetSamples}. */
export function readWorkingSetSamples(db: Database): WorkingSetSample[] {
  const rows = db.prepare<[], WorkingSetSample>(selectSamples).all();
  // In a damaged file a figure may be of any type; not known is none as well.
  return rows.filter(
    ({ timeUnixMs, bytes }, at) =>
      Number.isFinite(bytes) && timeUnixMs !== rows[at - 1]?.timeUnixMs,
  );
}
