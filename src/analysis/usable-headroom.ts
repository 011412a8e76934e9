import { availableBytes, bindingCgroup, sessionLimit, type Tick } from '../model/session-memory.ts';
import type { GrowthPoint } from './growth.ts';
import type { TickTracker } from './tick-tracker.ts';
import { unusedBytes } from './unused-memory.ts';

/**
 * What of the lowest headroom a browser could have used: an estimate. The kernel counts as available
 * what it could throw out, and among that are the pages of the program that the browser is running
 * on; without them it stands still (110 to 160 MiB of "available" could not be used when measured).
 */
export interface UsableHeadroom {
  timeUnixMs: number;
  /** Not held by memory that cannot be given back: of the limit of a cgroup, or MemAvailable. */
  unusedBytes: number;
  /** Files mapped by the browser's processes, each page once, by their share of PSS. */
  mappedFileBytes: number;
  usableBytes: number;
  /** What of `unusedBytes` was not usable. */
  notUsableBytes: number;
}

export interface LowestTick {
  timeUnixMs: number;
  unusedBytes: number;
  /** File pages that are charged to the session at all; null: those of the machine. */
  chargedFileBytes: number | null;
}

export interface MappingProcess {
  browserPid: number | null;
  lastUnixMs: number;
  /** Its share of mapped files, at each reading of PSS. */
  mappedFile: readonly GrowthPoint[];
}

/** The moment with the smallest share of the limit available. */
export function trackLowestTick(): TickTracker<LowestTick | null> {
  let lowest: LowestTick | null = null;
  let lowestRatio = Number.POSITIVE_INFINITY;
  return {
    add(tick) {
      const available = availableBytes(tick);
      const unused = unusedBytes(tick);
      const { bytes: limitBytes } = sessionLimit(tick);
      if (available === null || unused === null || available / limitBytes >= lowestRatio) return;
      lowestRatio = available / limitBytes;
      lowest = {
        timeUnixMs: tick.timeUnixMs,
        unusedBytes: unused,
        chargedFileBytes: chargedFileBytes(tick),
      };
    },
    result: () => lowest,
  };
}

/** Null where no PSS was read before that moment. */
export function usableHeadroom(
  lowest: LowestTick | null,
  processes: readonly MappingProcess[],
): UsableHeadroom | null {
  if (lowest === null) return null;
  const { timeUnixMs, unusedBytes } = lowest;
  const readings = processes
    .filter((process) => process.browserPid !== null && process.lastUnixMs >= timeUnixMs)
    .map(({ mappedFile }) => mappedFile.findLast((point) => point.timeUnixMs <= timeUnixMs))
    .filter((point) => point !== undefined);
  if (readings.length === 0) return null;
  const mapped = readings.reduce((sum, { bytes }) => sum + bytes, 0);
  // The program's pages may be charged to whoever read them first.
  const mappedFileBytes = Math.min(mapped, lowest.chargedFileBytes ?? mapped);
  const notUsableBytes = Math.min(unusedBytes, mappedFileBytes);
  const usableBytes = unusedBytes - notUsableBytes;
  return { timeUnixMs, unusedBytes, mappedFileBytes, usableBytes, notUsableBytes };
}

function chargedFileBytes(tick: Tick): number | null {
  const cgroup = bindingCgroup(tick);
  if (cgroup === null) return null;
  const { chargedBytes, anonBytes, shmemBytes, kernelBytes } = cgroup;
  if (chargedBytes === null || anonBytes === null) return null;
  return Math.max(0, chargedBytes - anonBytes - (shmemBytes ?? 0) - (kernelBytes ?? 0));
}
