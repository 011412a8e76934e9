import type { Recording } from '../../../model/recording.ts';
import type { Tick } from '../../../model/session-memory.ts';
import { workingSetBytes } from '../../../model/session-memory.ts';
import type { TimeRange } from '../../../model/time-range.ts';
import { fieldReader, type TickField, type TickView, viewOf } from '../../tick-view.ts';
import { type ColumnOf, snakeCase, type Table, tableOf } from './table.ts';

// What `container` says is the cgroup's again; a VM of agentOS has a table of its own.
type SampleField = Exclude<
  TickField,
  `container.${string}` | `session.container${string}` | `agentOs.${string}`
>;

// Every figure of a tick, once: one that is added to the model and not here does not compile.
const sampleFields: Readonly<Record<SampleField, 'integer' | 'real'>> = {
  'session.limitBytes': 'integer',
  'session.workingSetBytes': 'integer',
  'session.availableBytes': 'integer',
  'session.utilizationRatio': 'real',
  'session.peakBytes': 'integer',
  'session.swapUsedBytes': 'integer',
  'session.machineUsedBytes': 'integer',
  'session.machineUsedRatio': 'real',
  'browser.processCount': 'integer',
  'browser.unreclaimableBytes': 'integer',
  'browser.pssEstimatedBytes': 'integer',
  'browser.rssSumBytes': 'integer',
  'browser.zombieCount': 'integer',
  'machine.totalBytes': 'integer',
  'machine.freeBytes': 'integer',
  'machine.availableBytes': 'integer',
  'machine.buffersBytes': 'integer',
  'machine.cachedBytes': 'integer',
  'machine.inactiveFileBytes': 'integer',
  'machine.anonBytes': 'integer',
  'machine.shmemBytes': 'integer',
  'machine.kernelBytes': 'integer',
  'machine.swapTotalBytes': 'integer',
  'machine.swapFreeBytes': 'integer',
  'machine.zramBytes': 'integer',
  'machine.devShmUsedBytes': 'integer',
  'cgroup.version': 'integer',
  'cgroup.limitBytes': 'integer',
  'cgroup.chargedBytes': 'integer',
  'cgroup.inactiveFileBytes': 'integer',
  'cgroup.anonBytes': 'integer',
  'cgroup.shmemBytes': 'integer',
  'cgroup.kernelBytes': 'integer',
  'cgroup.swapBytes': 'integer',
  'cgroup.peakBytes': 'integer',
  'cgroup.oomKillCount': 'integer',
  'cgroup.limitHitCount': 'integer',
  'pressure.memorySomeMs': 'integer',
  'pressure.memoryFullMs': 'integer',
  'pressure.cpuSomeMs': 'integer',
  'pressure.ioSomeMs': 'integer',
  'pressure.ioFullMs': 'integer',
  'activity.cpuUserMs': 'integer',
  'activity.cpuSystemMs': 'integer',
  'activity.cpuIdleMs': 'integer',
  'activity.cpuIowaitMs': 'integer',
  'activity.cpuStealMs': 'integer',
  'activity.forkCount': 'integer',
  'activity.majorFaultCount': 'integer',
  'activity.refaultFileCount': 'integer',
  'activity.refaultAnonCount': 'integer',
  'activity.swapInBytes': 'integer',
  'activity.swapOutBytes': 'integer',
  'activity.directReclaimCount': 'integer',
  'activity.reclaimedBytes': 'integer',
  'activity.oomKillCount': 'integer',
  'collector.pid': 'integer',
  'collector.readMs': 'real',
  'collector.latenessMs': 'integer',
  'collector.missedTickCount': 'integer',
  'collector.cpuMs': 'integer',
  'collector.rssBytes': 'integer',
};

export const sampleTable: Table = tableOf<TickView>({
  name: 'samples',
  help: 'a sample of the session: memory, limit, pressure and activity of the machine',
  columns: [
    { name: 'sequence', kind: 'integer', read: (tick) => tick.sequence },
    { name: 'time', kind: 'instant', read: (tick) => tick.timeUnixMs },
    { name: 'monotonic_ms', kind: 'integer', read: (tick) => tick.monotonicMs },
    { name: 'interval_ms', kind: 'integer', read: (tick) => tick.intervalMs },
    ...figureColumns(),
    { name: 'cgroup_path', kind: 'text', read: (tick) => tick.cgroup?.path ?? null },
  ],
  records: views,
});

function figureColumns(): ColumnOf<TickView>[] {
  return Object.entries(sampleFields).map(([field, kind]) => ({
    name: snakeCase(field.replace(/^session\./, '').replace('.', '_')),
    kind,
    read: fieldReader(field as SampleField),
  }));
}

// The peak is that of the session so far, which begins before the range.
function* views(recording: Recording, range: TimeRange): Iterable<TickView> {
  const { fromUnixMs = Number.NEGATIVE_INFINITY } = range;
  let largest: number | null = null;
  for (const tick of recording.ticks({ toUnixMs: range.toUnixMs })) {
    largest = larger(largest, tick);
    if (tick.timeUnixMs >= fromUnixMs) yield viewOf(tick, largest);
  }
}

function larger(largest: number | null, tick: Tick): number | null {
  const workingSet = workingSetBytes(tick);
  if (workingSet === null) return largest;
  return Math.max(workingSet, largest ?? 0);
}
