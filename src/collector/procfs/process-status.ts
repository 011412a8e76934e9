import { KeyedFileParser } from './keyed-file.ts';

const parser = new KeyedFileParser({
  peakRss: 'VmHWM:',
  rssShmem: 'RssShmem:',
  swap: 'VmSwap:',
});

/** What is used of `/proc/<pid>/status` (proc_pid_status(5)); null where there is no such line. */
export interface ProcessStatus {
  /** VmHWM */
  peakRssBytes: number | null;
  /** RssShmem, since Linux 4.5. */
  shmemBytes: number | null;
  swapBytes: number | null;
}

/** kB in the file, bytes here. A zombie has none of these lines. */
export function parseProcessStatus(buffer: Buffer, length: number): ProcessStatus {
  const kb = parser.parse(buffer, length);
  return {
    peakRssBytes: kb.peakRss === null ? null : kb.peakRss * 1024,
    shmemBytes: kb.rssShmem === null ? null : kb.rssShmem * 1024,
    swapBytes: kb.swap === null ? null : kb.swap * 1024,
  };
}
