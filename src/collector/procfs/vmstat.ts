import type { MachineActivity } from '../../model/sample.ts';
import { KeyedFileParser } from './keyed-file.ts';

const parser = new KeyedFileParser({
  refaultAnon: 'workingset_refault_anon ',
  refaultFile: 'workingset_refault_file ',
  // Before Linux 5.9 there was one figure, and it counted file pages only.
  refault: 'workingset_refault ',
  pagesSwappedIn: 'pswpin ',
  pagesSwappedOut: 'pswpout ',
  majorFaults: 'pgmajfault ',
  oomKills: 'oom_kill ',
});

export type VmActivity = Pick<
  MachineActivity,
  | 'majorFaultCount'
  | 'refaultFileCount'
  | 'refaultAnonCount'
  | 'swapInBytes'
  | 'swapOutBytes'
  | 'oomKillCount'
>;

/** `/proc/vmstat`, cumulative since boot; `oom_kill` exists since Linux 4.13. */
export function parseVmstat(buffer: Buffer, length: number, pageSizeBytes: number): VmActivity {
  const counts = parser.parse(buffer, length);
  return {
    majorFaultCount: counts.majorFaults,
    refaultFileCount: counts.refaultFile ?? counts.refault,
    refaultAnonCount: counts.refaultAnon,
    swapInBytes: counts.pagesSwappedIn === null ? null : counts.pagesSwappedIn * pageSizeBytes,
    swapOutBytes: counts.pagesSwappedOut === null ? null : counts.pagesSwappedOut * pageSizeBytes,
    oomKillCount: counts.oomKills,
  };
}
