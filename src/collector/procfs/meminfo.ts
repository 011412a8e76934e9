import type { MachineMemory } from '../../model/sample.ts';
import { KeyedFileParser } from './keyed-file.ts';

const parser = new KeyedFileParser({
  total: 'MemTotal:',
  free: 'MemFree:',
  available: 'MemAvailable:',
  buffers: 'Buffers:',
  cached: 'Cached:',
  inactiveFile: 'Inactive(file):',
  swapTotal: 'SwapTotal:',
  swapFree: 'SwapFree:',
  anon: 'AnonPages:',
  shmem: 'Shmem:',
  slabUnreclaimable: 'SUnreclaim:',
  kernelStack: 'KernelStack:',
  pageTables: 'PageTables:',
});

export type MeminfoMemory = Omit<MachineMemory, 'zramBytes' | 'devShmUsedBytes'>;

/**
 * `/proc/meminfo` (proc_meminfo(5)), kB there, bytes here. Null when MemTotal or MemFree is
 * missing: then it is not a meminfo.
 */
export function parseMeminfo(buffer: Buffer, length: number): MeminfoMemory | null {
  const kb = parser.parse(buffer, length);
  if (kb.total === null || kb.free === null) return null;
  return {
    totalBytes: kb.total * 1024,
    freeBytes: kb.free * 1024,
    availableBytes: bytes(kb.available),
    buffersBytes: bytes(kb.buffers),
    cachedBytes: bytes(kb.cached),
    inactiveFileBytes: bytes(kb.inactiveFile),
    anonBytes: bytes(kb.anon),
    shmemBytes: bytes(kb.shmem),
    kernelBytes: sum(kb.slabUnreclaimable, kb.kernelStack, kb.pageTables),
    swapTotalBytes: bytes(kb.swapTotal),
    swapFreeBytes: bytes(kb.swapFree),
  };
}

function bytes(kb: number | null): number | null {
  return kb === null ? null : kb * 1024;
}

function sum(...parts: (number | null)[]): number | null {
  let total = 0;
  for (const kb of parts) {
    if (kb === null) return null;
    total += kb * 1024;
  }
  return total;
}
