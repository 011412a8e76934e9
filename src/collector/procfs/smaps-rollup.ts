import { KeyedFileParser } from './keyed-file.ts';

const parser = new KeyedFileParser({
  pss: 'Pss:',
  pssAnon: 'Pss_Anon:',
  pssShmem: 'Pss_Shmem:',
  swap: 'Swap:',
});

/** What is used of `/proc/<pid>/smaps_rollup` (filesystems/proc.rst; Pss_Anon since Linux 5.4). */
export interface SmapsRollup {
  pssBytes: number;
  pssAnonBytes: number | null;
  pssShmemBytes: number | null;
  swapBytes: number | null;
}

/** kB in the file, bytes here. Null when there is no Pss line. */
export function parseSmapsRollup(buffer: Buffer, length: number): SmapsRollup | null {
  const kb = parser.parse(buffer, length);
  if (kb.pss === null) return null;
  return {
    pssBytes: kb.pss * 1024,
    pssAnonBytes: kb.pssAnon === null ? null : kb.pssAnon * 1024,
    pssShmemBytes: kb.pssShmem === null ? null : kb.pssShmem * 1024,
    swapBytes: kb.swap === null ? null : kb.swap * 1024,
  };
}
