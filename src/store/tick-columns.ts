import { HeadroomError } from '../model/errors.ts';
import type { BriefTick, Tick } from '../model/session-memory.ts';

export type SqlValue = number | string | null;

/**
 * How a figure is stored. `tick`: in the row of every tick. `setting`: in `tick_setting`, of which
 * a row is written only when one of its figures changed. `memory` takes fewer bytes as KiB, the
 * unit the kernel counts in, and is shown in bytes; `fine` is in ms, and as whole µs takes fewer
 * bytes than as a fraction; `whole` is rounded.
 */
type Storage = 'tick memory' | 'tick whole' | 'tick fine' | 'setting whole' | 'setting text';
type GroupName = 'machine' | 'cgroup' | 'pressure' | 'activity' | 'browser' | 'collector';
type Figures<T> = Record<keyof T, Storage>;

// Every figure of the model's Tick, once: create, insert and read are made from these lists, and
// a figure that is added to the model and not here does not compile.
// What a VM of agentOS tells has a table of its own (agentos-rows.ts).
const clock: Figures<Omit<Tick, GroupName | 'sequence' | 'agentOs'>> = {
  timeUnixMs: 'tick whole',
  monotonicMs: 'tick whole',
  intervalMs: 'setting whole',
};
const groups: { [G in GroupName]: Figures<NonNullable<Tick[G]>> } = {
  machine: {
    totalBytes: 'setting whole',
    freeBytes: 'tick memory',
    availableBytes: 'tick memory',
    buffersBytes: 'tick memory',
    cachedBytes: 'tick memory',
    inactiveFileBytes: 'tick memory',
    anonBytes: 'tick memory',
    shmemBytes: 'tick memory',
    kernelBytes: 'tick memory',
    swapTotalBytes: 'setting whole',
    swapFreeBytes: 'tick memory',
    zramBytes: 'tick memory',
    devShmUsedBytes: 'setting whole',
  },
  cgroup: {
    version: 'setting whole',
    path: 'setting text',
    limitBytes: 'setting whole',
    chargedBytes: 'tick memory',
    inactiveFileBytes: 'tick memory',
    anonBytes: 'tick memory',
    shmemBytes: 'tick memory',
    kernelBytes: 'tick memory',
    swapBytes: 'tick memory',
    peakBytes: 'tick memory',
    oomKillCount: 'setting whole',
    limitHitCount: 'tick whole',
  },
  pressure: {
    memorySomeMs: 'tick whole',
    memoryFullMs: 'tick whole',
    cpuSomeMs: 'tick whole',
    ioSomeMs: 'tick whole',
    ioFullMs: 'tick whole',
  },
  activity: {
    cpuUserMs: 'tick whole',
    cpuSystemMs: 'tick whole',
    cpuIdleMs: 'tick whole',
    cpuIowaitMs: 'tick whole',
    cpuStealMs: 'tick whole',
    forkCount: 'tick whole',
    majorFaultCount: 'tick whole',
    refaultFileCount: 'tick whole',
    refaultAnonCount: 'tick whole',
    swapInBytes: 'tick memory',
    swapOutBytes: 'tick memory',
    directReclaimCount: 'tick whole',
    reclaimedBytes: 'tick memory',
    oomKillCount: 'setting whole',
  },
  browser: {
    processCount: 'tick whole',
    rssSumBytes: 'tick memory',
    unreclaimableBytes: 'tick memory',
    pssEstimatedBytes: 'tick memory',
    zombieCount: 'tick whole',
  },
  collector: {
    pid: 'setting whole',
    readMs: 'tick fine',
    latenessMs: 'tick whole',
    missedTickCount: 'setting whole',
    cpuMs: 'tick whole',
    rssBytes: 'tick memory',
  },
};

/** What {@link BriefTick} has of each group. */
const brief: { [G in GroupName]: readonly (keyof NonNullable<BriefTick[G]>)[] } = {
  machine: ['totalBytes', 'freeBytes', 'availableBytes', 'inactiveFileBytes'],
  cgroup: ['version', 'limitBytes', 'chargedBytes', 'inactiveFileBytes', 'peakBytes'],
  pressure: ['memorySomeMs', 'memoryFullMs'],
  activity: ['refaultFileCount'],
  browser: ['processCount', 'zombieCount'],
  collector: ['readMs', 'missedTickCount'],
};

export interface TickColumn {
  /** `machine_free_bytes` */
  name: string;
  /** The column that is written: the same, `machine_free_kib`, or `collector_read_us`. */
  storedName: string;
  table: 'tick' | 'setting';
  kind: 'memory' | 'whole' | 'fine' | 'text';
  group: GroupName | null;
  figure: string;
}

/** Of both tables, to read. */
export const tickColumns: readonly TickColumn[] = [
  ...Object.entries(clock).map(([figure, storage]) => columnOf(null, figure, storage)),
  ...Object.entries(groups).flatMap(([group, figures]) =>
    Object.entries(figures).map(([figure, storage]) =>
      columnOf(group as GroupName, figure, storage),
    ),
  ),
];
export const briefColumns = tickColumns.filter(
  ({ group, figure }) => group === null || brief[group].some((one) => one === figure),
);
const inTick = tickColumns.filter(({ table }) => table === 'tick');
const inSetting = tickColumns.filter(({ table }) => table === 'setting');

/** Names to write. */
export const storedTickColumnNames = inTick.map(({ storedName }) => storedName);
export const storedSettingColumnNames = inSetting.map(({ storedName }) => storedName);

/** The column definitions of the two tables, without their key. */
export const tickColumnsSql = inTick.map(definition).join(',\n  ');
export const settingColumnsSql = inSetting.map(definition).join(',\n  ');

/** A figure in bytes that is stored in KiB, and the column that shows it in bytes again. */
export function memoryColumnSql(name: string): string {
  const stored = storedMemoryName(name);
  return `${stored} INTEGER, ${name} INTEGER AS (${stored} * 1024) VIRTUAL`;
}

export function storedMemoryName(name: string): string {
  return name.replace(/_bytes$/, '_kib');
}

export function kibOf(bytes: number | null): number | null {
  return bytes === null ? null : Math.round(bytes / 1024);
}

/** The values of `storedTickColumnNames`; written into `row`, which is kept for the next tick. */
export function tickRow(tick: Tick, row: SqlValue[]): SqlValue[] {
  return fill(tick, inTick, row);
}

/** The values of `storedSettingColumnNames`, likewise. */
export function settingRow(tick: Tick, row: SqlValue[]): SqlValue[] {
  return fill(tick, inSetting, row);
}

type Row = Readonly<Record<string, SqlValue>>;

/** Puts a tick together from the columns of both tables. FILE_CORRUPT when a value is of no use. */
export function tickFromRow(row: Row): Tick {
  return fromRow(row, tickColumns) as unknown as Tick;
}

/** Likewise, from {@link briefColumns}. */
export function briefTickFromRow(row: Row): BriefTick {
  return fromRow(row, briefColumns) as unknown as BriefTick;
}

function fromRow(row: Row, columns: readonly TickColumn[]): Record<string, unknown> {
  const tick: Record<string, unknown> = { sequence: row['sequence'] };
  for (const { name, group, figure, kind } of columns) {
    const value = row[name] ?? null;
    const isRight = kind === 'text' ? typeof value === 'string' : Number.isFinite(value);
    if (!isRight && (value !== null || group === null)) {
      throw new HeadroomError('FILE_CORRUPT', `tick ${row['sequence']} has a wrong ${name}`);
    }
    if (group === null) {
      tick[figure] = value;
      continue;
    }
    tick[group] ??= {};
    (tick[group] as Record<string, SqlValue>)[figure] = value;
  }
  if (row['cgroup_version'] == null) tick['cgroup'] = null;
  return tick;
}

function columnOf(group: GroupName | null, figure: string, storage: Storage): TickColumn {
  const [table, kind] = storage.split(' ') as [TickColumn['table'], TickColumn['kind']];
  const name = snakeCase(group === null ? figure : `${group}_${figure}`);
  return {
    name,
    storedName: storedNameOf(name, kind),
    table,
    kind,
    group,
    figure,
  };
}

function storedNameOf(name: string, kind: TickColumn['kind']): string {
  if (kind === 'memory') return storedMemoryName(name);
  return kind === 'fine' ? name.replace(/_ms$/, '_us') : name;
}

function definition({ name, storedName, kind, group }: TickColumn): string {
  if (kind === 'memory') return memoryColumnSql(name);
  if (kind === 'fine') {
    return `${storedName} INTEGER, ${name} REAL AS (${storedName} / 1000.0) VIRTUAL`;
  }
  const type = kind === 'text' ? 'TEXT' : 'INTEGER';
  // The clocks are always known.
  return group === null ? `${name} ${type} NOT NULL` : `${name} ${type}`;
}

function fill(tick: Tick, wanted: readonly TickColumn[], row: SqlValue[]): SqlValue[] {
  for (let at = 0; at < wanted.length; at++) {
    const column = wanted[at];
    if (column !== undefined) row[at] = storedValue(tick, column);
  }
  return row;
}

function storedValue(tick: Tick, { group, figure, kind }: TickColumn): SqlValue {
  const holder = group === null ? tick : tick[group];
  if (holder === null) return null;
  const value = (holder as unknown as Record<string, SqlValue>)[figure] ?? null;
  if (typeof value !== 'number') return value;
  if (kind === 'memory') return kibOf(value);
  return Math.round(kind === 'fine' ? value * 1000 : value);
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
