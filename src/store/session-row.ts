import { HeadroomError } from '../model/errors.ts';
import type { LimitSource } from '../model/sample.ts';
import {
  type EndReason,
  endReasons,
  type MachineFacts,
  type SessionFacts,
} from '../model/session.ts';
import type { Database } from './driver.ts';
import type { RecorderIdentity } from './recorder-lock.ts';
import { checkShape, type RowShape } from './row-shape.ts';

export interface SessionRow {
  facts: SessionFacts;
  /** Who writes the file; null when nobody does. */
  recorder: RecorderIdentity | null;
}

export function readSession(db: Database): SessionRow | null {
  const row = db.prepare<[], StoredSession>('SELECT * FROM session').get();
  if (row === undefined) return null;
  checkShape(row, sessionShape, 'the session');
  return {
    facts: {
      id: row.id,
      source: row.source,
      labels: parseLabels(row.labels),
      startedUnixMs: row.started_unix_ms,
      endedUnixMs: row.ended_unix_ms,
      endReason: row.end_reason,
      intervalMs: row.interval_ms,
      machine: {
        bootId: row.boot_id,
        kernel: row.kernel,
        hostName: row.host_name,
        cpuCount: knownCount(row.cpu_count),
        memoryTotalBytes: knownCount(row.memory_total_bytes),
        limitBytes: knownCount(row.limit_bytes),
        limitSource: row.limit_source,
        browserVersion: row.browser_version,
        sampleSource: row.sample_source,
        clockTicksPerSecond: row.clock_ticks_per_second,
        pageSizeBytes: row.page_size_bytes,
      },
      collectorVersion: row.collector_version,
    },
    recorder:
      row.recorder_pid === null
        ? null
        : {
            pid: row.recorder_pid,
            startTicks: row.recorder_start_ticks,
            bootId: row.recorder_boot_id,
          },
  };
}

/** Labels out of their JSON. FILE_CORRUPT. */
export function parseLabels(text: string): Record<string, string> {
  const labels: unknown = JSON.parse(text);
  const isObject = typeof labels === 'object' && labels !== null && !Array.isArray(labels);
  if (!isObject || Object.values(labels).some((label) => typeof label !== 'string')) {
    throw new HeadroomError('FILE_CORRUPT', 'the session has wrong labels');
  }
  return labels as Record<string, string>;
}

/** How far the file is condensed, in sequence numbers. */
export interface Watermarks {
  /** Ticks up to this one are in the rollups, those behind it are not. */
  rolledUpSequence: number;
  /** Before this one there is a tick an hour, and rollups of hours. */
  minutesFromSequence: number;
  /** From there up to this one there is a tick a minute, and rollups of minutes; then every tick. */
  fullFromSequence: number;
}

export function readWatermarks(db: Database): Watermarks {
  const select = db.prepare<[], Watermarks>(
    `SELECT rolled_up_sequence AS rolledUpSequence, minutes_from_sequence AS minutesFromSequence,
       full_from_sequence AS fullFromSequence FROM session`,
  );
  const marks = select.get() ?? noWatermarks;
  for (const [name, mark] of Object.entries(marks)) {
    if (!Number.isFinite(mark)) {
      throw new HeadroomError('FILE_CORRUPT', `the session has a wrong ${name}`);
    }
  }
  return marks;
}

const noWatermarks: Watermarks = {
  rolledUpSequence: 0,
  minutesFromSequence: 0,
  fullFromSequence: 0,
};

/** Writes the row of a new recording, or what is true of its next run: it goes on, on this machine. */
export function writeSession(db: Database, facts: SessionFacts, recorder: RecorderIdentity): void {
  const row = { ...sessionColumns(facts, recorder), ...machineColumns(facts.machine) };
  const names = Object.keys(row);
  db.prepare(
    `INSERT INTO session (one, ${names.join(', ')})
     VALUES (1, ${names.map((name) => `@${name}`).join(', ')})
     ON CONFLICT (one) DO UPDATE SET labels = json_patch(labels, excluded.labels), ${names
       .filter((name) => !keptColumns.has(name))
       .map((name) => `${name} = excluded.${name}`)
       .join(', ')}`,
  ).run(row);
}

/** Says how the recording ended and that nobody writes the file any more. */
export function endSession(
  db: Database,
  end: { endedUnixMs: number | null; endReason: EndReason },
): void {
  db.prepare(
    `UPDATE session SET ended_unix_ms = ?, end_reason = ?,
     recorder_pid = NULL, recorder_start_ticks = NULL, recorder_boot_id = NULL`,
  ).run(end.endedUnixMs, end.endReason);
}

/** Says of a copy that the recording went on when it was made, and that nobody writes the copy. */
export function markCopied(db: Database): void {
  db.exec(`
    UPDATE session SET end_reason = 'copied',
      recorder_pid = NULL, recorder_start_ticks = NULL, recorder_boot_id = NULL`);
}

// A recording that goes on keeps who it is and when it began; labels are added to those it has.
const keptColumns = new Set(['id', 'source', 'labels', 'started_unix_ms']);

function sessionColumns(facts: SessionFacts, recorder: RecorderIdentity) {
  return {
    id: facts.id,
    source: facts.source,
    labels: JSON.stringify(facts.labels),
    started_unix_ms: Math.round(facts.startedUnixMs),
    ended_unix_ms: null,
    end_reason: null,
    interval_ms: Math.round(facts.intervalMs),
    collector_version: facts.collectorVersion,
    recorder_pid: recorder.pid,
    recorder_start_ticks: recorder.startTicks,
    recorder_boot_id: recorder.bootId,
  };
}

function machineColumns(machine: MachineFacts) {
  return {
    boot_id: machine.bootId,
    kernel: machine.kernel,
    host_name: machine.hostName,
    cpu_count: machine.cpuCount ?? 0,
    memory_total_bytes: machine.memoryTotalBytes ?? 0,
    limit_bytes: machine.limitBytes ?? 0,
    limit_source: machine.limitSource,
    browser_version: machine.browserVersion,
    sample_source: machine.sampleSource,
    clock_ticks_per_second: machine.clockTicksPerSecond,
    page_size_bytes: machine.pageSizeBytes,
  };
}

// A machine without CPU or memory stands for one that nothing is known of (mend-session.ts).
function knownCount(stored: number): number | null {
  return stored > 0 ? stored : null;
}

interface StoredSession {
  id: string;
  source: string;
  labels: string;
  started_unix_ms: number;
  ended_unix_ms: number | null;
  end_reason: EndReason | null;
  interval_ms: number;
  boot_id: string | null;
  kernel: string;
  host_name: string;
  cpu_count: number;
  memory_total_bytes: number;
  limit_bytes: number;
  limit_source: LimitSource;
  browser_version: string | null;
  sample_source: 'proc' | 'portable';
  clock_ticks_per_second: number;
  page_size_bytes: number;
  collector_version: string;
  recorder_pid: number | null;
  recorder_start_ticks: number | null;
  recorder_boot_id: string | null;
}

const sessionShape: RowShape<StoredSession> = {
  id: 'string',
  source: 'string',
  labels: 'string',
  started_unix_ms: 'number',
  ended_unix_ms: 'number?',
  end_reason: [...endReasons, null],
  interval_ms: 'number',
  boot_id: 'string?',
  kernel: 'string',
  host_name: 'string',
  cpu_count: 'number',
  memory_total_bytes: 'number',
  limit_bytes: 'number',
  limit_source: ['machine', 'cgroup_v1', 'cgroup_v2'],
  browser_version: 'string?',
  sample_source: ['proc', 'portable'],
  clock_ticks_per_second: 'number',
  page_size_bytes: 'number',
  collector_version: 'string',
  recorder_pid: 'number?',
  recorder_start_ticks: 'number?',
  recorder_boot_id: 'string?',
};
