import { readFacts } from './process-facts.ts';
import type { TrackedProcess } from './process-table.ts';
import type { KernelUnits } from './procfs/machine-files.ts';
import type { PssChoice } from './pss-budget.ts';

const statusEveryMs = 5_000;
const pssRetryMs = 60_000;
// Walking page tables holds locks that a machine short of memory needs itself.
const stallingSlowdown = 4;

export interface MemoryClock {
  /** Monotonic time of this tick, ms. */
  monotonicMs: number;
  /** CPU time of the collector, ms: what a reading cost, however long it waited for its turn. */
  cpuMs(): number;
}

/**
 * Reads the memory of every process: the browser's from statm (exact), the others' from stat (up to
 * 340 KiB off, and enough for a list of the biggest). status follows every few seconds, with it now
 * and then the facts, PSS as the budget allows. Gives the processes whose PSS was read in this tick.
 */
export function readMemory(
  processes: readonly TrackedProcess[],
  budget: PssChoice,
  at: { clock: MemoryClock; units: KernelUnits; isStalling: boolean },
): ReadonlySet<TrackedProcess> {
  const { clock, units, isStalling } = at;
  const candidates: (TrackedProcess & { rssBytes: number; anonBytes: number })[] = [];
  processes.forEach((process) => {
    readResident(process, units.pageSizeBytes);
    if (!isMember(process)) return;
    if (clock.monotonicMs - process.statusMonotonicMs >= statusEveryMs) {
      // Spread over the ticks: those that joined together come due apart.
      const headStartMs = process.status === null ? (process.pid % 5) * 1000 : 0;
      if (!isStatusCurrent(process)) readStatus(process);
      process.facts = readFacts(process.files, process.facts);
      process.statusMonotonicMs = clock.monotonicMs - headStartMs;
      process.isTold = false;
    }
    if (hasMemory(process) && clock.monotonicMs - process.pssFailedMonotonicMs >= pssRetryMs) {
      candidates.push(process);
    }
  });
  const slowdown = isStalling ? stallingSlowdown : 1;
  return readPss(budget.choose(candidates, clock.monotonicMs, slowdown), budget, clock);
}

/** Alive and part of a browser. */
export function isMember(process: TrackedProcess): boolean {
  return process.browserPid !== null && !isZombie(process);
}

/** Dead and not yet reaped: it has a pid and no memory. */
export function isZombie(process: TrackedProcess): boolean {
  return process.stat.state === 'Z' || process.stat.state === 'X';
}

function readResident(process: TrackedProcess, pageSizeBytes: number): void {
  process.rssBytes = null;
  process.anonBytes = null;
  if (isZombie(process)) return;
  if (process.browserPid === null) {
    process.rssBytes = process.stat.rssPages * pageSizeBytes;
    return;
  }
  // Of this tick, but for one that has just been found to be part of a browser.
  process.statm ??= process.files.statm();
  const { statm } = process;
  if (statm === null) return;
  process.rssBytes = statm.residentPages * pageSizeBytes;
  process.anonBytes = (statm.residentPages - statm.sharedPages) * pageSizeBytes;
}

// A process that ran or had a page fault has another stat, and one that was reclaimed from another
// statm.
function isStatusCurrent({ status, statusReadAt, stat, statm }: TrackedProcess): boolean {
  return status !== null && statusReadAt?.stat === stat && statusReadAt.statm === statm;
}

function readStatus(process: TrackedProcess): void {
  const { stat, statm } = process;
  const status = process.files.status();
  process.status = status ?? process.status;
  process.statusReadAt = status === null ? null : { stat, statm };
}

function hasMemory(
  process: TrackedProcess,
): process is TrackedProcess & { rssBytes: number; anonBytes: number } {
  return process.rssBytes !== null && process.anonBytes !== null;
}

function readPss(
  chosen: readonly TrackedProcess[],
  budget: PssChoice,
  clock: MemoryClock,
): ReadonlySet<TrackedProcess> {
  const read = new Set<TrackedProcess>();
  for (const process of chosen) {
    const beforeMs = clock.cpuMs();
    const rollup = process.files.smapsRollup();
    budget.pay(clock.cpuMs() - beforeMs);
    if (rollup === null || process.anonBytes === null) {
      process.pssFailedMonotonicMs = clock.monotonicMs;
      continue;
    }
    process.isTold = false;
    process.lastPss = {
      ...rollup,
      anonBytes: process.anonBytes,
      monotonicMs: clock.monotonicMs,
    };
    read.add(process);
  }
  return read;
}
