import type { FleetSession } from '../../model/fleet-session.ts';
import { endReasons } from '../../model/session.ts';
import { Sketch } from '../../model/sketch.ts';
import type { Database, Statement } from '../driver.ts';
import { replaceSql } from '../insert-sql.ts';
import { checkShape, type RowShape } from '../row-shape.ts';
import { parseLabels } from '../session-row.ts';
import { missingColumns } from './fleet-schema.ts';

type Row = Record<string, number | string | null>;
type Figure = 'working_set' | 'utilization';

/** Writes what the fleet keeps of a session, and what was kept of it before goes. */
export class SessionWriter {
  readonly #number: Statement;
  readonly #session: Statement;
  readonly #distribution: Statement;

  constructor(db: Database) {
    this.#number = db.prepare('SELECT session FROM session WHERE id = ?').pluck();
    this.#session = db.prepare(
      `${replaceSql('session', ['session', 'checksum', ...columnNames])} RETURNING session`,
    );
    this.#distribution = db.prepare(replaceSql('distribution', distributionColumns));
  }

  write(session: FleetSession, checksum: string): void {
    const before = (this.#number.get(session.id) as number | undefined) ?? null;
    const values = columnNames.map((name) => columns[name]?.(session) ?? null);
    const row = this.#session.get(before, checksum, ...values) as { session: number };
    this.#writeDistribution(row.session, 'working_set', session.workingSetBytes);
    if (session.utilizationRatio === null) return;
    this.#writeDistribution(row.session, 'utilization', session.utilizationRatio);
  }

  #writeDistribution(session: number, figure: Figure, sketch: Sketch): void {
    const { count, min, max, sum } = sketch;
    const quantiles = [0.5, 0.9, 0.95, 0.99].map((q) => sketch.quantile(q));
    this.#distribution.run(session, figure, count, min, max, sum, ...quantiles, sketch.encode());
  }
}

/** Every session of the data set, in the order in which they came into it. FILE_CORRUPT. */
export function* readSessions(db: Database): IterableIterator<FleetSession> {
  // A data set of an earlier version that nobody may write to has not all of them.
  const select = selectSessions(missingColumns(db));
  for (const row of db.prepare<[], StoredSession>(select).iterate()) {
    yield sessionOf(checkShape(row, sessionShape, 'a session'));
  }
}

const columns: Readonly<Record<string, (session: FleetSession) => number | string | null>> = {
  id: ({ id }) => id,
  file: ({ file }) => file ?? '',
  source: ({ source }) => source,
  labels: ({ labels }) => JSON.stringify(labels),
  version: ({ version }) => version,
  tier: ({ tier }) => tier,
  day: ({ startedUnixMs }) => new Date(startedUnixMs).toISOString().slice(0, 10),
  started_unix_ms: ({ startedUnixMs }) => Math.round(startedUnixMs),
  last_unix_ms: ({ lastUnixMs }) => Math.round(lastUnixMs),
  end_reason: ({ endReason }) => endReason,
  last_sequence: ({ lastSequence }) => lastSequence,
  recorded_ms: ({ recordedMs }) => recordedMs,
  demand_bytes: ({ demandBytes }) => demandBytes,
  demand_source: ({ demandSource }) => demandSource,
  is_censored: ({ isCensored }) => Number(isCensored),
  is_cut_off: ({ isCutOff }) => Number(isCutOff),
  limit_bytes: ({ limitBytes }) => limitBytes,
  limit_source: ({ limitSource }) => limitSource,
  growth_bytes_per_minute: ({ growth }) => growth?.bytesPerMinute ?? null,
  growth_ahead_ms: ({ growth }) => growth?.aheadMs ?? null,
  available_min_bytes: ({ availableMinBytes }) => availableMinBytes,
  oom_kill_count: ({ oomKillCount }) => oomKillCount,
  death_count: ({ deathCount }) => deathCount,
  verdict: ({ verdict }) => verdict,
  summary: ({ summary }) => summary,
  gap_count: ({ gapCount }) => gapCount,
  gap_ms: ({ gapMs }) => Math.round(gapMs),
};
const columnNames = Object.keys(columns);

const distributionColumns = [
  'session',
  'figure',
  'weight_ms',
  'min',
  'max',
  'sum',
  'p50',
  'p90',
  'p95',
  'p99',
  'sketch',
];

interface StoredSession {
  id: string;
  file: string;
  source: string;
  labels: string;
  version: string | null;
  tier: string;
  started_unix_ms: number;
  last_unix_ms: number;
  end_reason: FleetSession['endReason'];
  last_sequence: number;
  recorded_ms: number;
  demand_bytes: number;
  demand_source: FleetSession['demandSource'];
  is_censored: number;
  is_cut_off: number;
  limit_bytes: number;
  limit_source: FleetSession['limitSource'];
  growth_bytes_per_minute: number | null;
  growth_ahead_ms: number | null;
  available_min_bytes: number | null;
  oom_kill_count: number;
  death_count: number;
  verdict: string;
  summary: string | null;
  gap_count: number;
  gap_ms: number;
}

const sessionShape: RowShape<StoredSession> = {
  id: 'string',
  file: 'string',
  source: 'string',
  labels: 'string',
  version: 'string?',
  tier: 'string',
  started_unix_ms: 'number',
  last_unix_ms: 'number',
  end_reason: [...endReasons, null],
  last_sequence: 'number',
  recorded_ms: 'number',
  demand_bytes: 'number',
  demand_source: ['memory.peak', 'max_usage_in_bytes', 'samples'],
  is_censored: 'number',
  is_cut_off: 'number',
  limit_bytes: 'number',
  limit_source: ['machine', 'cgroup_v1', 'cgroup_v2'],
  growth_bytes_per_minute: 'number?',
  growth_ahead_ms: 'number?',
  available_min_bytes: 'number?',
  oom_kill_count: 'number',
  death_count: 'number',
  verdict: 'string',
  summary: 'string?',
  gap_count: 'number',
  gap_ms: 'number',
};

const sketchColumns = (figure: string) =>
  ['weight_ms', 'min', 'max', 'sum', 'sketch'].map(
    (name) => `${figure}.${name} AS ${figure}_${name}`,
  );

const selectSessions = (unknown: readonly string[]) => `
  SELECT ${['session.*', ...unknown.map((name) => `NULL AS ${name}`), ...sketchColumns('working_set'), ...sketchColumns('utilization')].join(', ')}
  FROM session
  LEFT JOIN distribution AS working_set
    ON working_set.session = session.session AND working_set.figure = 'working_set'
  LEFT JOIN distribution AS utilization
    ON utilization.session = session.session AND utilization.figure = 'utilization'
  ORDER BY session.session`;

function sessionOf(row: StoredSession): FleetSession {
  return {
    id: row.id,
    file: row.file === '' ? null : row.file,
    source: row.source,
    labels: parseLabels(row.labels),
    version: row.version,
    tier: row.tier,
    startedUnixMs: row.started_unix_ms,
    lastUnixMs: row.last_unix_ms,
    endReason: row.end_reason,
    lastSequence: row.last_sequence,
    recordedMs: row.recorded_ms,
    demandBytes: row.demand_bytes,
    demandSource: row.demand_source,
    isCensored: row.is_censored !== 0,
    isCutOff: row.is_cut_off !== 0,
    limitBytes: row.limit_bytes,
    limitSource: row.limit_source,
    growth: growthOf(row),
    availableMinBytes: row.available_min_bytes,
    oomKillCount: row.oom_kill_count,
    deathCount: row.death_count,
    verdict: row.verdict,
    summary: row.summary,
    gapCount: row.gap_count,
    gapMs: row.gap_ms,
    workingSetBytes: sketchOf(row, 'working_set') ?? new Sketch(),
    utilizationRatio: sketchOf(row, 'utilization'),
  };
}

function growthOf(row: StoredSession): FleetSession['growth'] {
  const { growth_bytes_per_minute: bytesPerMinute, growth_ahead_ms: aheadMs } = row;
  return bytesPerMinute === null || aheadMs === null ? null : { bytesPerMinute, aheadMs };
}

function sketchOf(row: StoredSession, figure: Figure): Sketch | null {
  const column = (name: string): unknown => (row as unknown as Row)[`${figure}_${name}`];
  const sketch = column('sketch');
  if (!(sketch instanceof Uint8Array)) return null;
  const [count, min, max, sum] = ['weight_ms', 'min', 'max', 'sum'].map((name) =>
    Number(column(name)),
  );
  return Sketch.decode(sketch, {
    count: count ?? Number.NaN,
    min: min ?? Number.NaN,
    max: max ?? Number.NaN,
    sum: sum ?? Number.NaN,
  });
}
