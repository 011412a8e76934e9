import type { AgentOsReading } from '../model/agentos.ts';
import { HeadroomError } from '../model/errors.ts';
import type { Database, Statement } from './driver.ts';
import { insertSql } from './insert-sql.ts';
import { kibOf, memoryColumnSql, type SqlValue, storedMemoryName } from './tick-columns.ts';

/** Of a file with the table below; a file of format 2 is one without it. */
export const agentOsVersion = 3;

// `memory` takes fewer bytes as KiB, the unit the kernel counts in; what the VM counts is exact.
const figures: Record<keyof AgentOsReading, 'memory' | 'whole'> = {
  processCount: 'whole',
  stoppedCount: 'whole',
  openFdCount: 'whole',
  pipeCount: 'whole',
  ptyCount: 'whole',
  socketCount: 'whole',
  connectionCount: 'whole',
  processLimit: 'whole',
  openFdLimit: 'whole',
  pipeLimit: 'whole',
  ptyLimit: 'whole',
  socketLimit: 'whole',
  connectionLimit: 'whole',
  filesystemBytes: 'whole',
  filesystemLimitBytes: 'whole',
  inodeCount: 'whole',
  inodeLimit: 'whole',
  sidecarVmCount: 'whole',
  sidecarV8SessionCount: 'whole',
  sidecarV8CpuMaxMs: 'whole',
  sidecarV8CpuLimitMs: 'whole',
  sidecarRssBytes: 'memory',
  sidecarPeakRssBytes: 'memory',
  sidecarCpuMs: 'whole',
  sidecarThreadCount: 'whole',
};

const columns = (Object.keys(figures) as (keyof AgentOsReading)[]).map((figure) => {
  const name = figure.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const kind = figures[figure];
  return { figure, name, kind, storedName: kind === 'memory' ? storedMemoryName(name) : name };
});

/**
 * Makes a recording of format 2 one of format 3, which has a row of a VM of agentOS for each tick and
 * the events of its guests. Nothing else changes: whoever records no VM stays with format 2.
 */
export function addAgentOsTable(db: Database): void {
  const definitions = columns.map(({ name, kind }) =>
    kind === 'memory' ? memoryColumnSql(name) : `${name} INTEGER`,
  );
  db.exec(`CREATE TABLE agentos_tick (
  sequence INTEGER PRIMARY KEY,
  ${definitions.join(',\n  ')}
) STRICT`);
  db.pragma(`user_version = ${agentOsVersion}`);
}

export function hasAgentOsTable(db: Database): boolean {
  return Number(db.pragma('user_version', { simple: true })) >= agentOsVersion;
}

/** Writes what was read of the VM beside a tick; within the transaction of that tick. */
export class AgentOsWriter {
  readonly #insert: Statement;
  readonly #row: SqlValue[] = [];

  constructor(db: Database) {
    this.#insert = db.prepare(
      insertSql('agentos_tick', ['sequence', ...columns.map(({ storedName }) => storedName)]),
    );
  }

  write(sequence: number, reading: AgentOsReading): void {
    this.#row[0] = sequence;
    for (const [index, column] of columns.entries()) {
      this.#row[index + 1] = storedValue(reading, column);
    }
    this.#insert.run(this.#row);
  }
}

/** The columns to select beside a tick, each with a name of its own. */
export const agentOsSelection = [
  'agentos.sequence AS agentos_sequence',
  ...columns.map(({ name }) => `agentos.${name} AS agentos_${name}`),
].join(', ');

/** Of a row with {@link agentOsSelection}; null where the tick has none. FILE_CORRUPT: no number. */
export function agentOsFromRow(row: Readonly<Record<string, SqlValue>>): AgentOsReading | null {
  if (row['agentos_sequence'] == null) return null;
  const entries = columns.map(({ figure, name }) => {
    const value = row[`agentos_${name}`] ?? null;
    if (value !== null && typeof value !== 'number') {
      throw new HeadroomError('FILE_CORRUPT', `tick ${row['sequence']} has a wrong ${name}`);
    }
    return [figure, value] as const;
  });
  return Object.fromEntries(entries) as Record<keyof AgentOsReading, number | null>;
}

function storedValue(
  reading: AgentOsReading,
  { figure, kind }: { figure: keyof AgentOsReading; kind: 'memory' | 'whole' },
): SqlValue {
  const value = reading[figure];
  if (value === null) return null;
  return kind === 'memory' ? kibOf(value) : Math.round(value);
}
