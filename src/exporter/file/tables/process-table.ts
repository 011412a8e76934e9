import type { ProcessRecord, Recording } from '../../../model/recording.ts';
import type { TimeRange } from '../../../model/time-range.ts';
import { fieldColumns, type Table, tableOf } from './table.ts';

export const processTable: Table = tableOf<ProcessRecord>({
  name: 'processes',
  help: 'a process, over its whole life',
  columns: fieldColumns<keyof ProcessRecord>({
    process: 'integer',
    pid: 'integer',
    startTicks: 'integer',
    parentPid: 'integer',
    browserPid: 'integer',
    role: 'text',
    comm: 'text',
    executable: 'text',
    firstUnixMs: 'instant',
    lastUnixMs: 'instant',
    endedUnixMs: 'instant',
    exitCode: 'integer',
    signal: 'text',
    peakRssBytes: 'integer',
    peakPssBytes: 'integer',
    firstCpuMs: 'integer',
    lastCpuMs: 'integer',
    oomScoreAdj: 'integer',
    descriptorCount: 'integer',
    readBytes: 'integer',
    writtenBytes: 'integer',
    cgroup: 'text',
    command: 'text',
  }),
  records: processesIn,
});

/** Those that were there at some time of the range. */
export function processesIn(recording: Recording, range: TimeRange): ProcessRecord[] {
  const { fromUnixMs = Number.NEGATIVE_INFINITY, toUnixMs = Number.POSITIVE_INFINITY } = range;
  return recording
    .processes()
    .filter(({ firstUnixMs, lastUnixMs }) => firstUnixMs <= toUnixMs && lastUnixMs >= fromUnixMs);
}
