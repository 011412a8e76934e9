import { weightMs } from '../model/gap.ts';
import type { SeriesWindow } from '../model/recording.ts';
import type { CgroupMemory } from '../model/sample.ts';
import { type MemoryReading, utilizationRatio, workingSetBytes } from '../model/session-memory.ts';
import { Sketch } from '../model/sketch.ts';
import type { Database } from './driver.ts';
import { minuteMs, rollupKey, seriesOfKeySql, windowOf } from './rollup-key.ts';
import { mergeRow, type RollupRow, RollupRows } from './rollup-rows.ts';
import { windowsInRange } from './windows-in-range.ts';

const figures = {
  working_set: workingSetBytes,
  utilization: utilizationRatio,
} as const;

type Metric = keyof typeof figures;
const metrics = Object.keys(figures) as Metric[];

/** What of a recording is in its rollups. */
export interface RollupState {
  /** Ticks up to this one. */
  rolledUpSequence: number;
  /** 0: all of it in minutes. */
  hasHours: number;
}

export const hasHoursSql = `EXISTS (SELECT 1 FROM rollup WHERE key < ${rollupKey(minuteMs, 0, 0)})`;

/**
 * The same as `readDistribution` of the two figures that tell most of a session, over the whole
 * recording, in a fraction of the time: one walk over the windows, and of the ticks that are in none of
 * them only the few columns that are needed. Null: the figure was never known. `minutes`: those of the
 * working set, as they are read anyhow; null: it has hours.
 */
export function readWholeDistributions(
  db: Database,
  { rolledUpSequence, hasHours }: RollupState,
): Record<Metric, Sketch | null> & { minutes: SeriesWindow[] | null } {
  const whole = { working_set: new Sketch(), utilization: new Sketch() };
  const minutes = hasHours === 0 ? mergeMinutes(db, whole) : null;
  if (minutes === null) mergeRollups(db, whole);
  addLooseTicks(db, whole, rolledUpSequence);
  const known = (metric: Metric) => (whole[metric].count === 0 ? null : whole[metric]);
  return {
    working_set: known('working_set'),
    utilization: known('utilization'),
    minutes,
  };
}

// Of a recording that is shorter than an hour: to find each row by itself would take longer.
const selectMinutes = `
  SELECT metric, key, ${seriesOfKeySql} AS series, weight_ms AS count, sample_count AS sampleCount,
    min, max, sum, sketch
  FROM series JOIN rollup ON ${seriesOfKeySql} = series.series
  WHERE scope = 'session' AND metric IN (${metrics.map((metric) => `'${metric}'`).join(', ')})`;

function mergeMinutes(db: Database, whole: Record<Metric, Sketch>): SeriesWindow[] {
  const minutes: SeriesWindow[] = [];
  for (const row of db.prepare<[], RollupRow & { metric: Metric }>(selectMinutes).all()) {
    mergeRow(whole[row.metric], row);
    if (row.metric !== 'working_set') continue;
    const { key, min, max, sum, count, sampleCount } = row;
    const { startUnixMs, spanMs } = windowOf(key);
    minutes.push({ startUnixMs, spanMs, min, max, mean: sum / count, sampleCount });
  }
  return minutes.sort((a, b) => a.startUnixMs - b.startUnixMs);
}

function mergeRollups(db: Database, whole: Record<Metric, Sketch>): void {
  const rows = new RollupRows(db);
  const numbers = metrics.map((metric) => rows.numberOf({ scope: 'session', metric }));
  if (numbers.every((number) => number === null)) return;
  for (const { spanMs, startUnixMs } of windowsInRange(rows, {}, () => false)) {
    metrics.forEach((metric, at) => {
      const number = numbers[at] ?? null;
      const row = number === null ? undefined : rows.one(rollupKey(spanMs, startUnixMs, number));
      if (row !== undefined) mergeRow(whole[metric], row);
    });
  }
}

interface LooseTick {
  sequence: number;
  timeUnixMs: number;
  monotonicMs: number;
  intervalMs: number;
  totalBytes: number;
  freeBytes: number;
  availableBytes: number | null;
  inactiveFileBytes: number | null;
  version: CgroupMemory['version'] | null;
  limitBytes: number | null;
  chargedBytes: number | null;
  cgroupInactiveFileBytes: number | null;
}

// The last tick that is in a rollup comes first: the weight of the next one is counted from there.
const selectLoose = `
  SELECT tick.sequence, time_unix_ms AS timeUnixMs, monotonic_ms AS monotonicMs,
    interval_ms AS intervalMs, machine_total_bytes AS totalBytes, machine_free_bytes AS freeBytes,
    machine_available_bytes AS availableBytes, machine_inactive_file_bytes AS inactiveFileBytes,
    cgroup_version AS version, cgroup_limit_bytes AS limitBytes,
    cgroup_charged_bytes AS chargedBytes, cgroup_inactive_file_bytes AS cgroupInactiveFileBytes
  FROM tick
  JOIN tick_setting AS setting
    ON setting.sequence = (SELECT max(sequence) FROM tick_setting WHERE sequence <= tick.sequence)
  WHERE tick.sequence >= (SELECT coalesce(max(sequence), 0) FROM tick WHERE sequence <= ?)
  ORDER BY tick.sequence`;

function addLooseTicks(
  db: Database,
  whole: Record<Metric, Sketch>,
  rolledUpSequence: number,
): void {
  let before: LooseTick | null = null;
  for (const tick of db.prepare<[number], LooseTick>(selectLoose).all(rolledUpSequence)) {
    if (tick.sequence > rolledUpSequence) {
      const weight = weightMs(before, tick, tick.intervalMs);
      const reading = readingOf(tick);
      for (const metric of metrics) {
        const figure = figures[metric](reading);
        if (figure !== null) whole[metric].add(Math.max(0, figure), weight);
      }
    }
    before = tick;
  }
}

function readingOf(tick: LooseTick): MemoryReading {
  const { version, limitBytes, chargedBytes, cgroupInactiveFileBytes: inactiveFileBytes } = tick;
  return {
    machine: tick,
    cgroup: version === null ? null : { version, limitBytes, chargedBytes, inactiveFileBytes },
  };
}
