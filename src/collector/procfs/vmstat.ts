import type { MachineActivity } from '../../model/sample.ts';
import { KeyedFileParser } from './keyed-file.ts';

const parser = new KeyedFileParser({
  refaultAnon: 'workingset_refault_anon ',
  refaultFile: 'workingset_refault_file ',
  // Before Linux 5.9 there was one figure, and it counted file pages only.
  refault: 'workingset_refault ',
  // One figure before Linux 4.8, one for each zone since.
  stalls: 'allocstall ',
  stallsDma: 'allocstall_dma ',
  stallsDma32: 'allocstall_dma32 ',
  stallsNormal: 'allocstall_normal ',
  stallsMovable: 'allocstall_movable ',
  stolenByKswapd: 'pgsteal_kswapd ',
  stolenDirectly: 'pgsteal_direct ',
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
  | 'directReclaimCount'
  | 'reclaimedBytes'
  | 'oomKillCount'
>;

/** `/proc/vmstat`, cumulative since boot; `oom_kill` exists since Linux 4.13. */
export function parseVmstat(buffer: Buffer, length: number, pageSizeBytes: number): VmActivity {
  const counts = parser.parse(buffer, length);
  return {
    majorFaultCount: counts.majorFaults,
    refaultFileCount: counts.refaultFile ?? counts.refault,
    refaultAnonCount: counts.refaultAnon,
    swapInBytes: bytes(counts.pagesSwappedIn, pageSizeBytes),
    swapOutBytes: bytes(counts.pagesSwappedOut, pageSizeBytes),
    directReclaimCount: sumOfKnown([
      counts.stalls,
      counts.stallsDma,
      counts.stallsDma32,
      counts.stallsNormal,
      counts.stallsMovable,
    ]),
    reclaimedBytes: bytes(
      sumOfKnown([counts.stolenByKswapd, counts.stolenDirectly]),
      pageSizeBytes,
    ),
    oomKillCount: counts.oomKills,
  };
}

function bytes(pages: number | null, pageSizeBytes: number): number | null {
  return pages === null ? null : pages * pageSizeBytes;
}

// Which of them exist depends on the kernel and its zones; null when none does.
function sumOfKnown(counts: readonly (number | null)[]): number | null {
  const known = counts.filter((count) => count !== null);
  return known.length === 0 ? null : known.reduce((sum, count) => sum + count, 0);
}
