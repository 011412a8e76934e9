import type { BrowserTotals } from '../model/sample.ts';
import { isMember, isZombie } from './process-memory.ts';
import type { TrackedProcess } from './process-table.ts';

/**
 * Sums over the browser's living processes; `all` knows the parents of those. A process that vanished
 * while it was being read counts nowhere; a figure that is unknown for one living process is unknown
 * for the sum.
 */
export function browserTotals(
  processes: readonly TrackedProcess[],
  all: ReadonlyMap<number, TrackedProcess>,
): BrowserTotals {
  let processCount = 0;
  let zombieCount = 0;
  let rssSumBytes = 0;
  let unreclaimableBytes: number | null = 0;
  let pssEstimatedBytes: number | null = 0;
  processes.forEach((process) => {
    if (process.browserPid === null) return;
    if (isZombie(process)) zombieCount++;
    if (!isMember(process) || process.rssBytes === null || process.anonBytes === null) return;
    processCount++;
    rssSumBytes += process.rssBytes;
    unreclaimableBytes = plus(unreclaimableBytes, ownUnreclaimableBytes(process, all));
    pssEstimatedBytes = plus(pssEstimatedBytes, estimatedPssBytes(process));
  });
  if (processCount === 0) {
    return {
      processCount,
      zombieCount,
      rssSumBytes: null,
      unreclaimableBytes: null,
      pssEstimatedBytes: null,
    };
  }
  return { processCount, zombieCount, rssSumBytes, unreclaimableBytes, pssEstimatedBytes };
}

/** The last PSS plus what the anonymous part changed since: −0.7 to −1.3 % off, measured. Bytes. */
export function estimatedPssBytes(process: TrackedProcess): number | null {
  if (process.lastPss === null || process.anonBytes === null) return null;
  const changeBytes = process.anonBytes - process.lastPss.anonBytes;
  return Math.max(0, process.lastPss.pssBytes + changeBytes);
}

// Pages that a child shares with its zygote are the zygote's; they are taken off the child. The same
// goes for a copy of the browser that has not exec'ed yet.
function ownUnreclaimableBytes(
  process: TrackedProcess,
  all: ReadonlyMap<number, TrackedProcess>,
): number | null {
  const shmemBytes = process.status?.shmemBytes ?? null;
  if (process.anonBytes === null || shmemBytes === null) return null;
  const parent = all.get(process.parentPid);
  const isBrowserByName = process.ownRole === 'browser' || process.ownRole === 'perhaps_browser';
  const isCopy = isBrowserByName && process.role === 'other';
  if (parent === undefined || !(parent.role === 'zygote' || isCopy)) {
    return process.anonBytes + shmemBytes;
  }
  if (parent.anonBytes === null) return null;
  return Math.max(0, process.anonBytes - parent.anonBytes) + shmemBytes;
}

function plus(sum: number | null, part: number | null): number | null {
  return sum === null || part === null ? null : sum + part;
}
